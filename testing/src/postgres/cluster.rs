//! A PostgreSQL server in its own directory.

use std::path::PathBuf;

use super::launch::Launch;
use super::server::{STATE_CHANGE_TIMEOUT, Server, Shutdown};
use super::{System, psql, url};
use crate::{Error, poll};

/// The settings of a [`Cluster`].
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Whether commits are flushed to disk, as benchmarks need. A server that is not durable survives
    /// its own crash, but not the machine's.
    pub durable: bool,
    /// Further server settings, each as `name=value`; they override the defaults.
    pub options: Vec<String>,
    /// The directory of the server's programs; by default found by [`programs`].
    ///
    /// [`programs`]: super::programs
    pub programs: Option<PathBuf>,
    /// The system that the server runs in; by default this one.
    pub system: Option<System>,
}

/// A PostgreSQL server on a loopback port, with a superuser `postgres` without a password.
///
/// Dropping it stops the server and removes its files. So does the end of this process, even by
/// `kill -9`.
pub struct Cluster {
    // In this order, so that the files outlive the server.
    server: Server,
    launch: Launch,
}

impl Cluster {
    /// Starts an empty server, and waits until it accepts connections.
    pub fn start(settings: Settings) -> Result<Self, Error> {
        let launch = Launch::prepare(settings)?;
        Ok(Self { server: Server::start(&launch)?, launch })
    }

    /// Its port.
    pub(super) fn port(&self) -> u16 {
        self.launch.port()
    }

    /// The URL of a database.
    pub fn url(&self, database: &str) -> String {
        format!("postgres://postgres@127.0.0.1:{}/{database}", self.port())
    }

    /// Creates a database and returns its URL.
    pub fn create_database(&self, name: &str) -> Result<String, Error> {
        url::check_name(name)?;
        self.query("postgres", &format!("CREATE DATABASE {name} TEMPLATE template0"))?;
        Ok(self.url(name))
    }

    /// Runs a statement: one line per row, columns separated by `|`.
    pub fn query(&self, database: &str, statement: &str) -> Result<String, Error> {
        let psql = self.launch.command("psql");
        psql::run(psql, &self.url(database), statement, "see the server's message")
    }

    /// The server's version, such as `15.18 (Debian 15.18-0+deb12u1)`.
    pub fn version(&self) -> Result<String, Error> {
        self.query("postgres", "SHOW server_version")
    }

    /// The id of the server's main process.
    pub fn pid(&self) -> u32 {
        self.server.id()
    }

    /// Stops the server, so that connections are refused until it is restarted.
    pub fn stop(&mut self, how: Shutdown) -> Result<(), Error> {
        self.server.stop(how)
    }

    /// Stops the server and starts it again, on the same port and the same files.
    ///
    /// A killed server starts again, too, once all its processes have ended: they hold its memory.
    pub fn restart(&mut self, how: Shutdown) -> Result<(), Error> {
        self.server.stop(how)?;
        self.server = Server::start(&self.launch)?;
        Ok(())
    }

    /// Disconnects the clients that are committing, once there are any, and returns their number. Their
    /// transactions are committed, but the clients get no answer.
    ///
    /// A server that waits for a missing standby commits and then delays the answer: the clients are
    /// disconnected at this moment.
    pub fn cut_in_commit(&self) -> Result<usize, Error> {
        let ask = |statement: &str| self.query("postgres", statement);
        let committing = |what: &str| {
            let count = ask(&format!(
                "SELECT count({what}) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
            ))?;
            Ok(count.parse::<usize>().ok().filter(|count| *count > 0))
        };
        ask("ALTER SYSTEM SET synchronous_standby_names = 'missing'")?;
        ask("SELECT pg_reload_conf()")?;
        let found = poll::until(STATE_CHANGE_TIMEOUT, || committing("*"));
        // Before the disconnect: a client that reconnects must not wait as well.
        ask("ALTER SYSTEM RESET synchronous_standby_names")?;
        let cut = committing("pg_terminate_backend(pid)")?;
        ask("SELECT pg_reload_conf()")?;
        match found? {
            Some(_) => Ok(cut.unwrap_or_default()),
            None => {
                Err(Error::new("no client has committed in a minute", "check what blocks them"))
            }
        }
    }

    /// Freezes the server: connections stay open without answers.
    pub fn pause(&self) -> Result<(), Error> {
        self.server.pause()
    }

    /// Resumes a frozen server.
    pub fn resume(&self) -> Result<(), Error> {
        self.server.resume()
    }
}
