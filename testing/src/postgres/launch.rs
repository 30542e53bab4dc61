//! What a server is started from: its programs, its files, its port and its options.
//! They stay the same when it is started again.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use super::{Settings, System, programs};
use crate::guarded::Guarded;
use crate::home::Home;
use crate::port::Port;
use crate::{Error, patience};

/// Making the files of a new server takes a second; this means that something is wrong.
const INITDB_LIMIT: Duration = Duration::from_secs(60);

const NAME: &str = "steadfast-postgres";

/// Where the files are, in the home.
const DATA: &str = "data";

/// Many tests at once, each with a pool of its own.
const ALWAYS: &[&str] = &["listen_addresses=127.0.0.1", "max_connections=200"];
const NOT_DURABLE: &[&str] = &["fsync=off", "full_page_writes=off"];

/// Only in a system of its own is there no memory that processes share by name.
const WITHIN: &[&str] = &["dynamic_shared_memory_type=mmap"];

enum Programs {
    /// In this directory.
    Here(PathBuf),
    /// In a system of their own.
    Within(System),
}

/// What a server is started from.
pub(super) struct Launch {
    programs: Programs,
    home: Home,
    port: Port,
    durable: bool,
    options: Vec<String>,
}

impl Launch {
    /// Makes the files of a new server.
    pub(super) fn prepare(settings: Settings) -> Result<Self, Error> {
        let programs = match (settings.system, settings.programs) {
            (Some(system), _) => Programs::Within(system),
            (None, Some(directory)) => {
                programs::check(&directory).map(|()| Programs::Here(directory))?
            }
            (None, None) => Programs::Here(programs::programs()?),
        };
        let home = match &programs {
            Programs::Here(_) => Home::new(NAME)?,
            Programs::Within(system) => Home::new_in(&system.temporary(), NAME)?,
        };
        let port = Port::reserve().map_err(|error| {
            Error::new(format!("no free port on 127.0.0.1: {error}"), "close some connections")
        })?;
        let Settings { durable, options, .. } = settings;
        let launch = Self { programs, home, port, durable, options };
        launch.make_files()?;
        Ok(launch)
    }

    fn make_files(&self) -> Result<(), Error> {
        let mut command = self.command("initdb");
        command.arg("-D").arg(self.place().join(DATA)).args(["-U", "postgres", "-A", "trust"]);
        command.args(["-E", "UTF8", "--locale=C", "-N"]);
        let mut initdb = Guarded::spawn(&self.home, &mut command)?;
        match patience::until(INITDB_LIMIT, || Ok(initdb.ended()))? {
            Some(status) if status.success() => Ok(()),
            Some(status) => Err(self.failed(&format!("initdb failed ({status})"))),
            None => Err(self.failed("initdb took too long")),
        }
    }

    /// Starts the server, which is not ready yet.
    pub(super) fn start(&self) -> Result<Guarded, Error> {
        let mut command = self.command("postgres");
        command.arg("-D").arg(self.place().join(DATA)).arg("-k").arg(self.place());
        command.args(["-p", &self.port().to_string()]);
        let durable = if self.durable { &[] } else { NOT_DURABLE };
        let within = if let Programs::Within(_) = self.programs { WITHIN } else { &[] };
        for option in ALWAYS.iter().chain(durable).chain(within) {
            command.args(["-c", option]);
        }
        for option in &self.options {
            command.args(["-c", option]);
        }
        Guarded::spawn(&self.home, &mut command)
    }

    /// Whether the server takes connections.
    pub(super) fn is_ready(&self) -> bool {
        self.command("pg_isready")
            .args(["--quiet", "--host=127.0.0.1", "--port", &self.port().to_string()])
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success())
    }

    /// One of the server's programs, to be run in its home.
    pub(super) fn command(&self, program: &str) -> Command {
        match &self.programs {
            Programs::Here(directory) => self.home.command(directory.join(program)),
            Programs::Within(system) => {
                self.home.command_within(system.root(), system.program(program))
            }
        }
    }

    /// What the programs call their home.
    fn place(&self) -> PathBuf {
        match &self.programs {
            Programs::Here(_) => self.home.path().to_owned(),
            Programs::Within(system) => system.inside(self.home.path()),
        }
    }

    pub(super) fn port(&self) -> u16 {
        self.port.number()
    }

    /// An error with what the programs said.
    pub(super) fn failed(&self, what: &str) -> Error {
        Error::new(
            format!("{what}; the end of its log:{}", self.home.last_words()),
            "mend what the log complains about",
        )
    }
}
