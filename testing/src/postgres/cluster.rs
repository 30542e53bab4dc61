//! A PostgreSQL server of one's own, in a directory of its own.

use std::path::PathBuf;

use super::launch::Launch;
use super::server::{LIMIT, Server, Shutdown};
use super::{System, psql, url};
use crate::{Error, patience};

/// How a [`Cluster`] is set up.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Whether what is committed is on the disk, as benchmarks want it. A server that is
    /// not durable survives its own crash all the same, only not the machine's.
    pub durable: bool,
    /// More settings of the server, each as `name=value`; they win over ours.
    pub options: Vec<String>,
    /// The directory of the server's programs; found by [`programs`] if not said.
    ///
    /// [`programs`]: super::programs
    pub programs: Option<PathBuf>,
    /// The system that the server runs in, with programs of its own; this one if not said.
    pub system: Option<System>,
}

/// A PostgreSQL server on a port of the loopback, with a superuser `postgres` who needs
/// no password.
///
/// Dropping it stops the server and removes its files. Both happen as well when this
/// process ends without dropping it, be it by `kill -9`.
pub struct Cluster {
    // In this order, so that the files outlive the server.
    server: Server,
    launch: Launch,
}

impl Cluster {
    /// Starts a new and empty server, and waits until it takes connections.
    pub fn start(settings: Settings) -> Result<Self, Error> {
        let launch = Launch::prepare(settings)?;
        Ok(Self { server: Server::start(&launch)?, launch })
    }

    /// The port that it listens on.
    pub(super) fn port(&self) -> u16 {
        self.launch.port()
    }

    /// Where a client finds this database.
    pub fn url(&self, database: &str) -> String {
        format!("postgres://postgres@127.0.0.1:{}/{database}", self.port())
    }

    /// Makes a database and answers with its URL.
    pub fn create_database(&self, name: &str) -> Result<String, Error> {
        url::check_name(name)?;
        self.query("postgres", &format!("CREATE DATABASE {name} TEMPLATE template0"))?;
        Ok(self.url(name))
    }

    /// What a statement answers: a row a line, columns parted by `|`.
    pub fn query(&self, database: &str, statement: &str) -> Result<String, Error> {
        let psql = self.launch.command("psql");
        psql::run(psql, &self.url(database), statement, "see what the server says about it")
    }

    /// The server's version, as it tells it: `15.18 (Debian 15.18-0+deb12u1)`.
    pub fn version(&self) -> Result<String, Error> {
        self.query("postgres", "SHOW server_version")
    }

    /// The id of the server's process, parent of all its others.
    pub fn pid(&self) -> u32 {
        self.server.id()
    }

    /// Stops the server, so that connections are refused until it is restarted.
    pub fn stop(&mut self, how: Shutdown) -> Result<(), Error> {
        self.server.stop(how)
    }

    /// Stops the server and starts it again, on the same port and the same files.
    ///
    /// One that was killed by its id starts again, too, as soon as all its processes are
    /// gone: they hold its memory.
    pub fn restart(&mut self, how: Shutdown) -> Result<(), Error> {
        self.server.stop(how)?;
        self.server = Server::start(&self.launch)?;
        Ok(())
    }

    /// Cuts off whoever is in the midst of a commit, once somebody is, and answers with how many
    /// they were. What they wrote is there, and nobody has told them.
    ///
    /// A server that is to wait for a standby, and has none, commits and then keeps the client
    /// waiting: that is the moment.
    pub fn cut_in_commit(&self) -> Result<usize, Error> {
        let ask = |statement: &str| self.query("postgres", statement);
        let committing = |what: &str| {
            let count = ask(&format!(
                "SELECT count({what}) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
            ))?;
            Ok(count.parse::<usize>().ok().filter(|count| *count > 0))
        };
        ask("ALTER SYSTEM SET synchronous_standby_names = 'nobody'")?;
        ask("SELECT pg_reload_conf()")?;
        let somebody = patience::until(LIMIT, || committing("*"));
        // Before they are cut off: whoever comes back must not wait as well.
        ask("ALTER SYSTEM RESET synchronous_standby_names")?;
        let cut = committing("pg_terminate_backend(pid)")?;
        ask("SELECT pg_reload_conf()")?;
        match somebody? {
            Some(_) => Ok(cut.unwrap_or_default()),
            None => Err(Error::new("nobody has committed in a minute", "see what keeps them")),
        }
    }

    /// Makes the server stand still: connections stay open, and nobody is answered.
    pub fn pause(&self) -> Result<(), Error> {
        self.server.pause()
    }

    /// Lets it go on.
    pub fn resume(&self) -> Result<(), Error> {
        self.server.resume()
    }
}
