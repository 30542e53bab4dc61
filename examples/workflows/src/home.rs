//! The PostgreSQL that the instances share: a server of its own that goes when the example does,
//! or one that somebody names.

use steadfast_testing::Error;
use steadfast_testing::postgres::{Cluster, Database, Settings};

/// Names a server, if no flag does.
pub const SERVER: &str = "EXAMPLE_POSTGRES";

/// A server to make databases on.
pub enum Home {
    /// Started for this.
    Own(Box<Cluster>),
    /// Named by somebody.
    Named(String),
}

impl Home {
    /// The server that is named, or one that is started. `durable` is whether that one keeps on
    /// the disk what is committed, as a real one does.
    ///
    /// # Errors
    /// There is no PostgreSQL to start.
    pub fn find(named: Option<String>, durable: bool) -> Result<Self, Error> {
        if let Some(url) = named {
            return Ok(Self::Named(url));
        }
        let settings = Settings { durable, ..Settings::default() };
        Ok(Self::Own(Box::new(Cluster::start(settings)?)))
    }

    /// A database with nothing in it, dropped when this is.
    ///
    /// # Errors
    /// The server lets nobody in.
    pub fn database(&self) -> Result<Database, Error> {
        match self {
            Self::Own(server) => Database::on(&server.url("postgres")),
            Self::Named(url) => Database::on(url),
        }
    }

    /// What it is, for people.
    ///
    /// # Errors
    /// It does not answer.
    pub fn name(&self) -> Result<String, Error> {
        match self {
            Self::Own(server) => Ok(format!("PostgreSQL {}, started for this", server.version()?)),
            Self::Named(_) => Ok("the PostgreSQL that was named".to_owned()),
        }
    }
}
