//! A server to show something on: one that is started for it, or one that a person names.

use std::process::Command;

use super::database::not_a_url;
use super::{Cluster, Database, Settings, programs, psql, url};
use crate::Error;

/// A server of ours or of yours.
pub enum Host {
    /// Started for this, to be treated as one likes.
    Ours(Box<Cluster>),
    /// Named by its URL. Databases are made on it and dropped, and nothing else is done to it.
    Yours(String),
}

impl Host {
    /// The server that is named, or else one that is started with these settings.
    pub fn find(named: Option<&str>, settings: Settings) -> Result<Self, Error> {
        match named {
            Some(url) if url::is_postgres(url) => Ok(Self::Yours(url.to_owned())),
            Some(_) => Err(not_a_url()),
            None => Ok(Self::Ours(Box::new(Cluster::start(settings)?))),
        }
    }

    /// A new and empty database on it.
    pub fn database(&self) -> Result<Database, Error> {
        Database::on(&self.url())
    }

    /// What it is, for people: `PostgreSQL 15.18 (Debian 15.18-0+deb12u1), started for this`.
    pub fn name(&self) -> Result<String, Error> {
        let psql = Command::new(programs::psql()?);
        let version = psql::run(psql, &self.url(), "SHOW server_version", "see that it is up")?;
        let whose = if let Self::Ours(_) = self { "started for this" } else { "as it was named" };
        Ok(format!("PostgreSQL {version}, {whose}"))
    }

    fn url(&self) -> String {
        match self {
            Self::Ours(cluster) => cluster.url("postgres"),
            Self::Yours(url) => url.clone(),
        }
    }
}
