//! The server of an example: one that is started for it, or an external one.

use std::process::Command;

use super::database::not_a_url;
use super::{Cluster, Database, Settings, programs, psql, url};
use crate::Error;

/// A started or an external server.
pub enum Host {
    /// Started by this program, which may inject faults into it.
    Started(Box<Cluster>),
    /// Given by its URL. The program only creates and drops databases on it.
    External(String),
}

impl Host {
    /// The server of this URL, or else one that is started with these settings.
    pub fn find(url: Option<&str>, settings: Settings) -> Result<Self, Error> {
        match url {
            Some(url) if url::is_postgres(url) => Ok(Self::External(url.to_owned())),
            Some(_) => Err(not_a_url()),
            None => Ok(Self::Started(Box::new(Cluster::start(settings)?))),
        }
    }

    /// Creates an empty database on it.
    pub fn database(&self) -> Result<Database, Error> {
        Database::on(&self.url())
    }

    /// Its description: `PostgreSQL 15.18 (Debian 15.18-0+deb12u1), started by this program`.
    pub fn name(&self) -> Result<String, Error> {
        let psql = Command::new(programs::psql()?);
        let version =
            psql::run(psql, &self.url(), "SHOW server_version", "check that it is running")?;
        let origin = match self {
            Self::Started(_) => "started by this program",
            Self::External(_) => "external",
        };
        Ok(format!("PostgreSQL {version}, {origin}"))
    }

    fn url(&self) -> String {
        match self {
            Self::Started(cluster) => cluster.url("postgres"),
            Self::External(url) => url.clone(),
        }
    }
}
