//! A PostgreSQL of our own, in a directory of its own.

use std::fs::File;
use std::net::TcpListener;
use std::os::unix::{fs::chown, process::CommandExt};
use std::path::Path;
use std::process::{Child, Command};

use anyhow::{Context, Result, ensure};
use nix::sys::signal::{Signal, kill};
use nix::unistd::{Pid, Uid};
use postgres::{Client, NoTls};
use tempfile::TempDir;

/// It refuses to be run by root, so root lets nobody run it.
const NOBODY: u32 = 65534;

/// How it is set up.
pub struct Settings {
    /// Whether what is committed is on the disk.
    pub durable: bool,
    /// More settings of the server, each as `name=value`.
    pub options: Vec<String>,
}

/// A server that is stopped when this is dropped.
pub struct Cluster {
    server: Child,
    port: u16,
    _files: TempDir,
}

impl Cluster {
    /// Starts it, and waits until it takes connections.
    pub fn start(settings: Settings) -> Result<Self> {
        let files = tempfile::Builder::new().prefix("steadfast-bench-").tempdir()?;
        if Uid::effective().is_root() {
            chown(files.path(), Some(NOBODY), Some(NOBODY))?;
        }
        let initdb = ["-D", "data", "-U", "postgres", "-A", "trust", "-N", "--locale=C"];
        let made = program("initdb", files.path())?.args(initdb).status()?;
        ensure!(made.success(), "initdb failed: {made}");
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let mut server = program("postgres", files.path())?;
        server.args(["-D", "data", "-k", ".", "-p", &port.to_string()]);
        server.args(["-c", if settings.durable { "fsync=on" } else { "fsync=off" }]);
        server.args(settings.options.iter().flat_map(|option| ["-c", option]));
        let mut cluster = Cluster { server: server.spawn()?, port, _files: files };
        while Client::connect(&cluster.url("postgres"), NoTls).is_err() {
            ensure!(cluster.server.try_wait()?.is_none(), "PostgreSQL did not start");
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        Ok(cluster)
    }

    /// Where a client finds this database.
    pub fn url(&self, database: &str) -> String {
        format!("postgres://postgres@127.0.0.1:{}/{database}", self.port)
    }

    /// The server's process, parent of all its others.
    pub fn pid(&self) -> u32 {
        self.server.id()
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        let _ = kill(Pid::from_raw(self.server.id().cast_signed()), Signal::SIGINT);
        let _ = self.server.wait();
    }
}

fn program(name: &str, home: &Path) -> Result<Command> {
    let bin = Command::new("pg_config").arg("--bindir").output();
    let bin = String::from_utf8(bin.context("no pg_config: install PostgreSQL")?.stdout)?;
    let log = File::options().create(true).append(true).open(home.join("log"))?;
    let mut command = Command::new(Path::new(bin.trim()).join(name));
    command.current_dir(home).stdout(log.try_clone()?).stderr(log);
    if Uid::effective().is_root() {
        command.uid(NOBODY).gid(NOBODY);
    }
    Ok(command)
}
