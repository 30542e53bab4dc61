//! One database for one test, on a server that all tests share.

use std::env::{self, VarError};
use std::path::PathBuf;
use std::process::Command;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use super::{Cluster, Settings, programs, psql, url};
use crate::Error;

/// The environment variable with the URL of a server on which tests may make databases.
pub const TEST_SERVER: &str = "STEADFAST_TEST_POSTGRES";

/// A database that nobody else uses, dropped together with this.
pub struct Database {
    name: String,
    url: String,
    server: String,
    psql: PathBuf,
}

impl Database {
    /// Makes a new and empty database, on the server that [`TEST_SERVER`] names or else
    /// on one that this process starts for all its tests.
    pub fn fresh() -> Result<Self, Error> {
        Self::on(&shared_server()?)
    }

    /// Makes a new and empty database on the server of this URL.
    pub fn on(server: &str) -> Result<Self, Error> {
        let name = unused_name();
        let url = url::with_database(server, &name).ok_or_else(not_a_url)?;
        let psql = programs::psql()?;
        let create = format!("CREATE DATABASE {name} TEMPLATE template0");
        psql::run(Command::new(&psql), server, &create, advice())?;
        Ok(Self { name, url, server: server.to_owned(), psql })
    }

    /// Where a client finds it.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// What it is called.
    pub fn name(&self) -> &str {
        &self.name
    }
}

/// Whoever is still connected is cut off. A server that is gone has taken the database
/// along, so there is nobody to tell about a failure.
impl Drop for Database {
    fn drop(&mut self) {
        let statement = format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", self.name);
        let _ = psql::run(Command::new(&self.psql), &self.server, &statement, "");
    }
}

fn shared_server() -> Result<String, Error> {
    // Never dropped, like every static: it goes when the process does.
    static OWN: LazyLock<Result<Cluster, Error>> =
        LazyLock::new(|| Cluster::start(Settings::default()));
    match env::var(TEST_SERVER) {
        Ok(url) => Ok(url),
        Err(VarError::NotUnicode(_)) => Err(not_a_url()),
        Err(VarError::NotPresent) => match &*OWN {
            Ok(cluster) => Ok(cluster.url("postgres")),
            Err(error) => Err(error.clone()),
        },
    }
}

/// Other processes make databases on the same server.
fn unused_name() -> String {
    static MADE: AtomicU32 = AtomicU32::new(0);
    let number = MADE.fetch_add(1, Ordering::Relaxed);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    format!("steadfast_{}_{}_{number}", now.as_micros(), std::process::id())
}

pub(super) fn not_a_url() -> Error {
    Error::new(
        "this is no URL of a PostgreSQL server",
        format!(
            "give one such as postgres://user@host:5432/postgres; \
             it may come from {TEST_SERVER}"
        ),
    )
}

fn advice() -> String {
    format!(
        "see that the server is up and lets us make databases; \
         if {TEST_SERVER} is set, it is the one that this names"
    )
}
