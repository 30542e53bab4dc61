//! A pseudo-terminal with an emulated screen.

use std::io::{Read, Write};
use std::process::{Child, ExitStatus};
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use pty_process::Size;
use pty_process::blocking::Command;

use crate::store::Folder;

/// The limit for anything awaited.
const SCREEN_TIMEOUT: Duration = Duration::from_secs(30);
const HEIGHT: u16 = 24;

pub(crate) struct Terminal {
    child: Child,
    keyboard: std::fs::File,
    written: Receiver<Vec<u8>>,
    picture: vt100::Parser,
}

impl Terminal {
    /// Runs a command in a terminal of this width.
    pub(crate) fn run(folder: &Folder, line: &str, width: u16) -> Self {
        let (pty, pts) = pty_process::blocking::open().unwrap();
        pty.resize(Size::new(HEIGHT, width)).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_steadfast"))
            .args(line.split(' '))
            .current_dir(folder.path())
            .env("TERM", "xterm-256color");
        for variable in ["NO_COLOR", "STEADFAST_CONFIG", "STEADFAST_STORE", "COLUMNS"] {
            command = command.env_remove(variable);
        }
        let child = command.spawn(pts).unwrap();
        let screen = std::fs::File::from(std::os::fd::OwnedFd::from(pty));
        let keyboard = screen.try_clone().unwrap();
        let picture = vt100::Parser::new(HEIGHT.try_into().unwrap(), width.try_into().unwrap(), 0);
        Self { child, keyboard, written: read_output(screen), picture }
    }

    /// Waits until the screen matches.
    pub(crate) fn until(&mut self, is_so: impl Fn(&str) -> bool) {
        let deadline = Instant::now() + SCREEN_TIMEOUT;
        while !is_so(&self.screen()) {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.written.recv_timeout(left) {
                Ok(bytes) => self.picture.process(&bytes),
                Err(why) => panic!("{why}, and the screen is\n{}", self.screen()),
            }
        }
    }

    pub(crate) fn screen(&self) -> String {
        self.picture.screen().contents()
    }

    /// Whether the alternate screen is active and the cursor hidden.
    pub(crate) fn is_drawn_on(&self) -> bool {
        let screen = self.picture.screen();
        assert_eq!(screen.alternate_screen(), screen.hide_cursor());
        screen.alternate_screen()
    }

    pub(crate) fn types(&mut self, keys: &[u8]) {
        self.keyboard.write_all(keys).unwrap();
    }

    pub(crate) fn pid(&self) -> i32 {
        self.child.id().cast_signed()
    }

    /// Waits for the process to exit, and for its last output.
    pub(crate) fn ended(&mut self) -> ExitStatus {
        while let Ok(bytes) = self.written.recv_timeout(SCREEN_TIMEOUT) {
            self.picture.process(&bytes);
        }
        self.child.wait().unwrap()
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // A test that failed leaves nothing running.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads until the terminal is closed.
fn read_output(mut screen: std::fs::File) -> Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = [0; 4096];
        while let Ok(read @ 1..) = screen.read(&mut bytes) {
            let Some(bytes) = bytes.get(..read) else { return };
            if sender.send(bytes.to_vec()).is_err() {
                return;
            }
        }
    });
    receiver
}
