//! A server process and polling for its effects.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, ExitStatus, Stdio};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use steadfast_testing::poll::wait_for;

use crate::store::Folder;

/// A server process, killed on drop.
pub(crate) struct Served<'f> {
    child: Child,
    folder: &'f Folder,
    pub(crate) url: String,
}

impl<'f> Served<'f> {
    /// Serves the store of this directory on a free port, and waits until it is ready.
    pub(crate) fn start(folder: &'f Folder, flags: &str) -> Self {
        Self::start_with(folder, flags, |_| {})
    }

    /// Like `start`, with a modified command.
    pub(crate) fn start_with(
        folder: &'f Folder,
        flags: &str,
        change: impl FnOnce(&mut Command),
    ) -> Self {
        let line = format!("serve --listen 127.0.0.1:0 {flags}");
        let mut command = folder.command(line.trim_end());
        change(&mut command);
        let log = File::create(folder.path().join("serve.log")).unwrap();
        let mut child = command.stdout(Stdio::piped()).stderr(log).spawn().unwrap();
        let mut first = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut first).unwrap();
        let url = first.split(' ').find(|word| word.starts_with("http")).unwrap().to_owned();
        let served = Self { child, folder, url };
        assert!(served.url.starts_with("http://127.0.0.1:"), "{first}{}", served.log());
        served
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// The log so far.
    pub(crate) fn log(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("serve.log")).unwrap()
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill(Pid::from_raw(self.child.id().try_into().unwrap()), signal).unwrap();
    }

    /// Waits for the exit status.
    pub(crate) fn ended(&mut self) -> ExitStatus {
        let child = &mut self.child;
        wait_for("the server exits", || child.try_wait().unwrap())
    }

    /// The output of a successful command that uses this server.
    pub(crate) fn run_ok(&self, line: &str) -> String {
        let flag = format!("--server {}", self.url);
        // The part after `--` is another command.
        match line.split_once(" -- ") {
            Some((own, command)) => self.folder.run_ok(&format!("{own} {flag} -- {command}")),
            None => self.folder.run_ok(&format!("{line} {flag}")),
        }
    }
}

impl Drop for Served<'_> {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
