//! The programs, files, port and options of a server, which stay the same over restarts.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use super::{Settings, System, programs};
use crate::home::Home;
use crate::port::Port;
use crate::watched_process::WatchedProcess;
use crate::{Error, poll};

/// Far longer than initdb takes.
const INITDB_TIMEOUT: Duration = Duration::from_secs(60);

const NAME: &str = "steadfast-postgres";

/// The data directory, in the home.
const DATA: &str = "data";

/// Many tests run at once, each with its own pool.
const DEFAULT_OPTIONS: &[&str] = &["listen_addresses=127.0.0.1", "max_connections=200"];
const NOT_DURABLE_OPTIONS: &[&str] = &["fsync=off", "full_page_writes=off"];

/// A system in a directory has no named shared memory.
const SYSTEM_OPTIONS: &[&str] = &["dynamic_shared_memory_type=mmap"];

enum Programs {
    /// In this directory.
    Here(PathBuf),
    /// In a system in a directory.
    Within(System),
}

/// The programs, files, port and options of a server.
pub(super) struct Launch {
    programs: Programs,
    home: Home,
    port: Port,
    durable: bool,
    options: Vec<String>,
}

impl Launch {
    /// Creates the files of a new server.
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
        launch.init_data_directory()?;
        Ok(launch)
    }

    fn init_data_directory(&self) -> Result<(), Error> {
        let mut command = self.command("initdb");
        command.arg("-D").arg(self.home_path().join(DATA)).args(["-U", "postgres", "-A", "trust"]);
        command.args(["-E", "UTF8", "--locale=C", "-N"]);
        let mut initdb = WatchedProcess::spawn(&self.home, &mut command)?;
        match poll::until(INITDB_TIMEOUT, || Ok(initdb.ended()))? {
            Some(status) if status.success() => Ok(()),
            Some(status) => Err(self.failed(&format!("initdb failed ({status})"))),
            None => Err(self.failed("initdb timed out")),
        }
    }

    /// Starts the server, which is not ready yet.
    pub(super) fn start(&self) -> Result<WatchedProcess, Error> {
        let mut command = self.command("postgres");
        command.arg("-D").arg(self.home_path().join(DATA)).arg("-k").arg(self.home_path());
        command.args(["-p", &self.port().to_string()]);
        let durable = if self.durable { &[] } else { NOT_DURABLE_OPTIONS };
        let within = if let Programs::Within(_) = self.programs { SYSTEM_OPTIONS } else { &[] };
        for option in DEFAULT_OPTIONS.iter().chain(durable).chain(within) {
            command.args(["-c", option]);
        }
        for option in &self.options {
            command.args(["-c", option]);
        }
        WatchedProcess::spawn(&self.home, &mut command)
    }

    /// Whether the server accepts connections.
    pub(super) fn is_ready(&self) -> bool {
        self.command("pg_isready")
            .args(["--quiet", "--host=127.0.0.1", "--port", &self.port().to_string()])
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success())
    }

    /// A command of one of the server's programs, in its home.
    pub(super) fn command(&self, program: &str) -> Command {
        match &self.programs {
            Programs::Here(directory) => self.home.command(directory.join(program)),
            Programs::Within(system) => {
                self.home.command_within(system.root(), system.program(program))
            }
        }
    }

    /// The path of the home as the programs see it.
    fn home_path(&self) -> PathBuf {
        match &self.programs {
            Programs::Here(_) => self.home.path().to_owned(),
            Programs::Within(system) => system.inside(self.home.path()),
        }
    }

    pub(super) fn port(&self) -> u16 {
        self.port.number()
    }

    /// An error with the end of the log.
    pub(super) fn failed(&self, what: &str) -> Error {
        Error::new(
            format!("{what}; the end of its log:{}", self.home.log_tail()),
            "fix the problem in the log",
        )
    }
}
