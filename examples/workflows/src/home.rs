//! The PostgreSQL that the instances share: a server of its own that goes when the example does,
//! or one that somebody names.

use steadfast_testing::Error;
use steadfast_testing::postgres::{Cluster, Database, Settings};

/// Names a server, if no flag does.
pub const SERVER: &str = "EXAMPLE_POSTGRES";

/// A database with nothing in it, dropped together with this.
pub struct Home {
    // In this order, so that the server outlives the database.
    database: Database,
    server: Option<Cluster>,
}

impl Home {
    /// A fresh database on this server, or on one that is started for it. `durable` is whether
    /// such a server keeps on the disk what is committed, as a real one does.
    ///
    /// # Errors
    /// There is no PostgreSQL, or the server lets nobody in.
    pub fn find(server: Option<&str>, durable: bool) -> Result<Self, Error> {
        if let Some(url) = server {
            return Ok(Self { database: Database::on(url)?, server: None });
        }
        let server = Cluster::start(Settings { durable, ..Settings::default() })?;
        Ok(Self { database: Database::on(&server.url("postgres"))?, server: Some(server) })
    }

    /// Where instances find it.
    #[must_use]
    pub fn url(&self) -> &str {
        self.database.url()
    }

    /// What it is, for people.
    #[must_use]
    pub fn name(&self) -> String {
        match self.server.as_ref().map(Cluster::version) {
            Some(Ok(version)) => format!("PostgreSQL {version}, started for this"),
            _ => "the PostgreSQL that was named".to_owned(),
        }
    }
}
