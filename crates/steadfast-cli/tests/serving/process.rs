//! A server that runs, and waiting for what it does.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::store::Folder;

/// How long anything may take on a machine that has much to do.
const PATIENCE: Duration = Duration::from_secs(60);
const PAUSE: Duration = Duration::from_millis(20);

/// A server process. It is gone with this.
pub(crate) struct Served<'f> {
    child: Child,
    folder: &'f Folder,
    pub(crate) url: String,
}

impl<'f> Served<'f> {
    /// Serves the store of this folder on a free port, and waits until it says where.
    pub(crate) fn start(folder: &'f Folder, flags: &str) -> Self {
        Self::start_with(folder, flags, |_| {})
    }

    /// The same, changed.
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
        let url = first.split(' ').next().unwrap().to_owned();
        let served = Self { child, folder, url };
        assert!(served.url.starts_with("http://127.0.0.1:"), "{first}{}", served.log());
        served
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// What it has logged so far.
    pub(crate) fn log(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("serve.log")).unwrap()
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill(Pid::from_raw(self.child.id().try_into().unwrap()), signal).unwrap();
    }

    /// How it ended.
    pub(crate) fn ended(&mut self) -> ExitStatus {
        let child = &mut self.child;
        until(|| child.try_wait().unwrap())
    }

    /// What a command says that asks this server, if all is well.
    pub(crate) fn told(&self, line: &str) -> String {
        let flag = format!("--server {}", self.url);
        // What is behind two dashes is a command of its own.
        match line.split_once(" -- ") {
            Some((own, command)) => self.folder.told(&format!("{own} {flag} -- {command}")),
            None => self.folder.told(&format!("{line} {flag}")),
        }
    }
}

impl Drop for Served<'_> {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Asks until there is an answer. Another process sends no signal when it has done something.
pub(crate) fn until<T>(mut ask: impl FnMut() -> Option<T>) -> T {
    let began = Instant::now();
    loop {
        if let Some(answer) = ask() {
            return answer;
        }
        assert!(began.elapsed() < PATIENCE, "it did not happen within {PATIENCE:?}");
        std::thread::sleep(PAUSE);
    }
}
