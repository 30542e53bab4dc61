//! A connection pooler in front of a server, as many clients of PostgreSQL have it.

use std::fs;
use std::net::{Ipv4Addr, TcpStream};
use std::path::PathBuf;
use std::time::Duration;

use super::Cluster;
use crate::home::Home;
use crate::port::Port;
use crate::watched_process::WatchedProcess;
use crate::{Error, poll};

/// Far longer than a start takes.
const START_TIMEOUT: Duration = Duration::from_secs(30);

/// Debian's directory, which is not on every user's PATH.
const DEBIAN: &str = "/usr/sbin";

/// A PgBouncer in transaction mode.
///
/// Removed when dropped, or with this process, like a [`Cluster`].
pub struct Pooler {
    // In this order, so that the files outlive the process.
    process: WatchedProcess,
    home: Home,
    port: Port,
}

impl Pooler {
    /// Starts a pooler in front of this server, and waits until it accepts connections.
    pub fn before(cluster: &Cluster) -> Result<Self, Error> {
        let program = pgbouncer().ok_or_else(|| {
            Error::new(
                "PgBouncer is not installed",
                "install it (on Debian and Ubuntu: the package pgbouncer), or let \
                 `cargo xtask test` do so",
            )
        })?;
        let home = Home::new("steadfast-pgbouncer")?;
        let failed =
            |error| Error::new(format!("PgBouncer: {error}"), "check that /tmp is writable");
        let port = Port::reserve().map_err(failed)?;
        let settings = settings(cluster.port(), port.number());
        fs::write(home.path().join("pgbouncer.ini"), settings).map_err(failed)?;
        let process = WatchedProcess::spawn(&home, home.command(program).arg("pgbouncer.ini"))?;
        let mut pooler = Self { process, home, port };
        match poll::until(START_TIMEOUT, || pooler.answers())? {
            Some(()) => Ok(pooler),
            None => Err(pooler.failed("PgBouncer is not ready after half a minute")),
        }
    }

    /// The URL of a database through the pooler.
    pub fn url(&self, database: &str) -> String {
        format!("postgres://postgres@127.0.0.1:{}/{database}", self.port.number())
    }

    fn answers(&mut self) -> Result<Option<()>, Error> {
        if let Some(status) = self.process.ended() {
            return Err(self.failed(&format!("PgBouncer did not start ({status})")));
        }
        Ok(TcpStream::connect((Ipv4Addr::LOCALHOST, self.port.number())).ok().map(drop))
    }

    fn failed(&self, what: &str) -> Error {
        Error::new(
            format!("{what}; the end of its log:{}", self.home.log_tail()),
            "fix the problem in the log",
        )
    }
}

fn settings(server: u16, own: u16) -> String {
    format!(
        "[databases]\n\
         * = host=127.0.0.1 port={server} user=postgres\n\
         [pgbouncer]\n\
         listen_addr = 127.0.0.1\n\
         listen_port = {own}\n\
         unix_socket_dir =\n\
         auth_type = any\n\
         pool_mode = transaction\n\
         ignore_startup_parameters = extra_float_digits\n"
    )
}

/// The path of PgBouncer, if it is installed.
pub fn pgbouncer() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let directories = std::env::split_paths(&path).chain([PathBuf::from(DEBIAN)]);
    directories.map(|directory| directory.join("pgbouncer")).find(|program| program.is_file())
}
