//! A ClickHouse server in its own directory.

use std::fs;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::time::Duration;

use rustix::process::{Signal, kill_process};

use super::{config, program};
use crate::home::Home;
use crate::port::Port;
use crate::watched_process::WatchedProcess;
use crate::{Error, poll};

/// Far longer than a start or a stop takes on a busy machine.
const STATE_CHANGE_TIMEOUT: Duration = Duration::from_secs(60);

/// The timeout of one health check.
const PING_TIMEOUT: Duration = Duration::from_secs(2);

const CONFIG: &str = "config.xml";

/// A ClickHouse server with HTTP on a loopback port, and a user `default` without a password.
///
/// Dropping it stops the server and removes its files. So does the end of this process, even by
/// `kill -9`.
pub struct Server {
    // In this order, so that the files outlive the process.
    process: WatchedProcess,
    home: Home,
    port: Port,
}

impl Server {
    /// Starts an empty server, and waits until it accepts requests.
    pub fn start() -> Result<Self, Error> {
        let home = Home::new("steadfast-clickhouse")?;
        let failed = |error: io::Error| {
            Error::new(format!("cannot set up ClickHouse: {error}"), home.advice())
        };
        let port = Port::reserve().map_err(failed)?;
        fs::write(home.path().join(CONFIG), config::server(port.number())).map_err(failed)?;
        fs::write(home.path().join("users.xml"), config::USERS).map_err(failed)?;
        let mut server = Self { process: spawn(&home)?, home, port };
        server.wait_until_up()?;
        Ok(server)
    }

    /// Kills it with SIGKILL: unflushed data is lost. Connections are refused until it is restarted.
    pub fn kill(&mut self) -> Result<(), Error> {
        let Some(process) = self.process.running() else { return Ok(()) };
        let next = "check that it is still running";
        kill_process(process, Signal::KILL)
            .map_err(|error| Error::new(format!("cannot kill ClickHouse: {error}"), next))?;
        match poll::until(STATE_CHANGE_TIMEOUT, || Ok(self.process.ended()))? {
            Some(_) => Ok(()),
            None => {
                Err(Error::new("ClickHouse has not ended after a minute", "check what blocks it"))
            }
        }
    }

    /// Starts it again after it was [killed](Self::kill), on the same port and the same files.
    pub fn restart(&mut self) -> Result<(), Error> {
        self.process = spawn(&self.home)?;
        self.wait_until_up()
    }

    /// Its address.
    pub fn address(&self) -> SocketAddr {
        (Ipv4Addr::LOCALHOST, self.port.number()).into()
    }

    /// Its URL.
    pub fn url(&self) -> String {
        format!("http://{}", self.address())
    }

    /// Its process id.
    pub fn pid(&self) -> u32 {
        self.process.id()
    }

    fn wait_until_up(&mut self) -> Result<(), Error> {
        match poll::until(STATE_CHANGE_TIMEOUT, || self.answers())? {
            Some(()) => Ok(()),
            None => Err(self.failed("ClickHouse is not ready after a minute")),
        }
    }

    fn answers(&mut self) -> Result<Option<()>, Error> {
        if let Some(status) = self.process.ended() {
            return Err(self.failed(&format!("ClickHouse did not start ({status})")));
        }
        Ok(is_up(self.address()).unwrap_or(false).then_some(()))
    }

    fn failed(&self, what: &str) -> Error {
        Error::new(
            format!("{what}; the end of its log:{}", self.home.log_tail()),
            "fix the problem in the log",
        )
    }
}

fn spawn(home: &Home) -> Result<WatchedProcess, Error> {
    let mut command = home.command(program()?);
    command.arg("--config-file").arg(home.path().join(CONFIG));
    WatchedProcess::spawn(home, &mut command)
}

/// A health check by hand, because an HTTP client would slow down every build of `cargo xtask`.
fn is_up(address: SocketAddr) -> io::Result<bool> {
    let mut connection = TcpStream::connect_timeout(&address, PING_TIMEOUT)?;
    connection.set_read_timeout(Some(PING_TIMEOUT))?;
    connection.write_all(b"GET /ping HTTP/1.0\r\n\r\n")?;
    let mut answer = String::new();
    connection.read_to_string(&mut answer)?;
    Ok(answer.ends_with("Ok.\n"))
}
