//! A ClickHouse server of one's own, in a directory of its own.

use std::fs;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::time::Duration;

use rustix::process::{Signal, kill_process};

use super::{config, program};
use crate::guarded::Guarded;
use crate::home::Home;
use crate::port::Port;
use crate::{Error, patience};

/// Far longer than it takes on a busy machine, so that it means something is wrong.
const LIMIT: Duration = Duration::from_secs(60);

/// How long one look may take whether it is up.
const LOOK: Duration = Duration::from_secs(2);

const CONFIG: &str = "config.xml";

/// A ClickHouse server that speaks HTTP on a port of the loopback, with a user `default` who
/// needs no password.
///
/// Dropping it stops the server and removes its files. Both happen as well when this
/// process ends without dropping it, be it by `kill -9`.
pub struct Server {
    // In this order, so that the files outlive the process.
    process: Guarded,
    home: Home,
    port: Port,
}

impl Server {
    /// Starts a new and empty server, and waits until it takes requests.
    pub fn start() -> Result<Self, Error> {
        let home = Home::new("steadfast-clickhouse")?;
        let failed = |error: io::Error| {
            Error::new(format!("ClickHouse cannot be set up: {error}"), home.advice())
        };
        let port = Port::reserve().map_err(failed)?;
        fs::write(home.path().join(CONFIG), config::server(port.number())).map_err(failed)?;
        fs::write(home.path().join("users.xml"), config::USERS).map_err(failed)?;
        let mut server = Self { process: spawn(&home)?, home, port };
        server.wait_until_up()?;
        Ok(server)
    }

    /// `kill -9`: what it has not written is forgotten. Connections are refused until it is
    /// restarted.
    pub fn kill(&mut self) -> Result<(), Error> {
        let Some(process) = self.process.running() else { return Ok(()) };
        let next = "see that it is still running";
        kill_process(process, Signal::KILL)
            .map_err(|error| Error::new(format!("ClickHouse cannot be killed: {error}"), next))?;
        match patience::until(LIMIT, || Ok(self.process.ended()))? {
            Some(_) => Ok(()),
            None => Err(Error::new("ClickHouse is not gone after a minute", "see what keeps it")),
        }
    }

    /// Starts it again after it was [killed](Self::kill), on the same port and the same files.
    pub fn restart(&mut self) -> Result<(), Error> {
        self.process = spawn(&self.home)?;
        self.wait_until_up()
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        (Ipv4Addr::LOCALHOST, self.port.number()).into()
    }

    /// Where a client finds it.
    pub fn url(&self) -> String {
        format!("http://{}", self.address())
    }

    /// The id of its process.
    pub fn pid(&self) -> u32 {
        self.process.id()
    }

    fn wait_until_up(&mut self) -> Result<(), Error> {
        match patience::until(LIMIT, || self.answers())? {
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
            format!("{what}; the end of its log:{}", self.home.last_words()),
            "mend what the log complains about",
        )
    }
}

fn spawn(home: &Home) -> Result<Guarded, Error> {
    let mut command = home.command(program()?);
    command.arg("--config-file").arg(home.path().join(CONFIG));
    Guarded::spawn(home, &mut command)
}

/// Asks as ClickHouse has it asked; not worth a client, which everyone who builds `cargo xtask`
/// would compile first.
fn is_up(address: SocketAddr) -> io::Result<bool> {
    let mut connection = TcpStream::connect_timeout(&address, LOOK)?;
    connection.set_read_timeout(Some(LOOK))?;
    connection.write_all(b"GET /ping HTTP/1.0\r\n\r\n")?;
    let mut answer = String::new();
    connection.read_to_string(&mut answer)?;
    Ok(answer.ends_with("Ok.\n"))
}
