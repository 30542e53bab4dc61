//! A database per test, on a shared server.

use std::env::{self, VarError};
use std::path::PathBuf;
use std::process::Command;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use super::{Cluster, Settings, programs, psql, url};
use crate::Error;

/// The environment variable with the URL of a server on which tests may create databases.
pub const TEST_SERVER: &str = "STEADFAST_TEST_POSTGRES";

/// A database for one test, dropped together with this value.
pub struct Database {
    name: String,
    url: String,
    server: String,
    psql: PathBuf,
}

impl Database {
    /// Creates an empty database on the server of [`TEST_SERVER`], or else on one that this process
    /// starts for all its tests.
    pub fn fresh() -> Result<Self, Error> {
        Self::on(&shared_server()?)
    }

    /// Creates an empty database on the server of this URL.
    pub fn on(server: &str) -> Result<Self, Error> {
        let name = unused_name();
        let url = url::with_database(server, &name).ok_or_else(not_a_url)?;
        let psql = programs::psql()?;
        let create = format!("CREATE DATABASE {name} TEMPLATE template0");
        psql::run(Command::new(&psql), server, &create, advice())?;
        Ok(Self { name, url, server: server.to_owned(), psql })
    }

    /// Its URL.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }
}

/// Open connections are closed. A failure is ignored: a stopped server has removed the database.
impl Drop for Database {
    fn drop(&mut self) {
        let statement = format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", self.name);
        let _ = psql::run(Command::new(&self.psql), &self.server, &statement, "");
    }
}

fn shared_server() -> Result<String, Error> {
    // Never dropped, like every static: the watchdog ends it with the process.
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

/// Other processes create databases on the same server.
fn unused_name() -> String {
    static CREATED: AtomicU32 = AtomicU32::new(0);
    let number = CREATED.fetch_add(1, Ordering::Relaxed);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    format!("steadfast_{}_{}_{number}", now.as_micros(), std::process::id())
}

pub(super) fn not_a_url() -> Error {
    Error::new(
        "not the URL of a PostgreSQL server",
        format!(
            "use a URL such as postgres://user@host:5432/postgres; it may come from {TEST_SERVER}"
        ),
    )
}

fn advice() -> String {
    format!(
        "check that the server is running and allows creating databases; if {TEST_SERVER} is set, it \
         is the server of that URL"
    )
}
