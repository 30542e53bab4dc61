//! A pseudo-terminal with typed keys and an emulated screen.

use std::io::{Read, Write};
use std::num::NonZeroU16;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, ExitStatus};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use pty_process::Size;
use pty_process::blocking::{Command, Pty, open};

const ROWS: u16 = 24;
/// The limit for anything awaited, on the slowest machine.
const SCREEN_TIMEOUT: Duration = Duration::from_secs(60);

pub(crate) const CTRL_C: &str = "\x03";
pub(crate) const CTRL_D: &str = "\x04";
pub(crate) const CTRL_Z: &str = "\x1a";

/// A terminal and the program started in it.
pub(crate) struct Terminal {
    keys: Arc<Pty>,
    program: Child,
    picture: Arc<Picture>,
    painter: JoinHandle<()>,
}

/// The output written to the terminal.
struct Picture {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    screen: vt100::Parser,
    written: String,
}

impl Terminal {
    /// Starts a program.
    pub(crate) fn start(program: &str, arguments: &[&str], columns: u16) -> Self {
        let (pty, pts) = open().unwrap();
        pty.resize(Size::new(ROWS, columns)).unwrap();
        let mut command = Command::new(program).args(arguments).env("TERM", "xterm-256color");
        for variable in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "STEADFAST_CONFIG", "ENV"] {
            command = command.env_remove(variable);
        }
        let program = command.env("PS1", "ready> ").spawn(pts).unwrap();
        let screen = vt100::Parser::new(size(ROWS), size(columns), 0);
        let state = Mutex::new(State { screen, written: String::new() });
        let picture = Arc::new(Picture { state, changed: Condvar::new() });
        let keys = Arc::new(pty);
        let (from, to) = (keys.clone(), picture.clone());
        let painter = thread::spawn(move || to.paint(&from));
        Self { keys, program, picture, painter }
    }

    /// `steadfast run` with these flags and a command for the shell.
    pub(crate) fn run(flags: &str, command: &str) -> Self {
        Self::run_in(80, flags, command)
    }

    /// Like `run`, in a terminal of this width.
    pub(crate) fn run_in(columns: u16, flags: &str, command: &str) -> Self {
        let mut arguments = vec!["run"];
        arguments.extend(flags.split_whitespace());
        arguments.extend(["--", "sh", "-c", command]);
        Self::start(env!("CARGO_BIN_EXE_steadfast"), &arguments, columns)
    }

    /// An interactive shell with job control and `steadfast` in its PATH.
    pub(crate) fn shell() -> Self {
        let terminal = Self::start("bash", &["--norc", "--noprofile", "-i"], 80);
        terminal.until_shows("ready>");
        let folder = Path::new(env!("CARGO_BIN_EXE_steadfast")).parent().unwrap();
        terminal.types(&format!("PATH={}:$PATH; PS1='now> '; clear\n", folder.display()));
        terminal.until(|shown| shown.trim() == "now>");
        terminal
    }

    /// Waits for the prompt: keys typed before it may be lost.
    pub(crate) fn until_prompt(&self) {
        self.until(|shown| shown.trim_end().ends_with("now>"));
    }

    pub(crate) fn types(&self, keys: &str) {
        (&*self.keys).write_all(keys.as_bytes()).unwrap();
    }

    /// Waits until the screen matches.
    pub(crate) fn until(&self, is_so: impl Fn(&str) -> bool) {
        self.picture.until(|state| is_so(&state.screen.screen().contents()));
    }

    pub(crate) fn until_shows(&self, text: &str) {
        self.until(|shown| shown.contains(text));
    }

    /// Waits until this was written, even if it was erased since.
    pub(crate) fn until_written(&self, text: &str) {
        self.picture.until(|state| state.written.contains(text));
    }

    /// The complete output, including control sequences.
    pub(crate) fn written(&self) -> String {
        self.picture.state.lock().unwrap().written.clone()
    }

    /// Waits for the program to exit; returns its status and the final screen.
    pub(crate) fn ended(mut self) -> (ExitStatus, String) {
        let status = self.program.wait().unwrap();
        self.painter.join().unwrap();
        let screen = self.picture.state.lock().unwrap().screen.screen().contents();
        (status, screen.trim().to_owned())
    }
}

fn size(cells: u16) -> NonZeroU16 {
    NonZeroU16::new(cells).unwrap()
}

impl Picture {
    /// Runs until the terminal is closed.
    fn paint(&self, mut from: &Pty) {
        let mut part = [0; 4096];
        while let Ok(length @ 1..) = from.read(&mut part) {
            let mut state = self.state.lock().unwrap();
            state.screen.process(&part[..length]);
            state.written.push_str(&String::from_utf8_lossy(&part[..length]));
            self.changed.notify_all();
        }
    }

    fn until(&self, is_so: impl Fn(&State) -> bool) {
        let state = self.state.lock().unwrap();
        let waited =
            self.changed.wait_timeout_while(state, SCREEN_TIMEOUT, |state| !is_so(state)).unwrap();
        let shown = waited.0.screen.screen().contents();
        assert!(!waited.1.timed_out(), "the screen did not match:\n{shown}");
    }
}

/// The exit code as shown by a shell.
pub(crate) fn code(status: ExitStatus) -> i32 {
    status.code().or(status.signal().map(|signal| 128 + signal)).unwrap()
}
