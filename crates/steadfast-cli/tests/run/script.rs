//! `steadfast run` without a terminal, with piped streams.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Output, Stdio};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

/// `steadfast run` with these flags and a command for the shell.
pub(crate) fn run(flags: &str, command: &str) -> Command {
    let mut run = Command::new(env!("CARGO_BIN_EXE_steadfast"));
    run.arg("run").args(flags.split_whitespace()).args(["--", "sh", "-c", command]);
    for variable in ["CLICOLOR_FORCE", "STEADFAST_CONFIG"] {
        run.env_remove(variable);
    }
    run.stdin(Stdio::null());
    run
}

/// The output of a finished run.
pub(crate) fn output(flags: &str, command: &str) -> Output {
    run(flags, command).output().unwrap()
}

pub(crate) fn text(bytes: &[u8]) -> &str {
    str::from_utf8(bytes).unwrap()
}

/// A run in progress.
pub(crate) struct UnderWay {
    child: Child,
    out: BufReader<Box<dyn Read>>,
    err: BufReader<Box<dyn Read>>,
}

impl UnderWay {
    pub(crate) fn start(run: &mut Command) -> Self {
        let run = run.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = run.spawn().unwrap();
        let out: Box<dyn Read> = Box::new(child.stdout.take().unwrap());
        let err: Box<dyn Read> = Box::new(child.stderr.take().unwrap());
        Self { child, out: BufReader::new(out), err: BufReader::new(err) }
    }

    /// Waits for the next line on stdout.
    pub(crate) fn line(&mut self) -> String {
        line(&mut self.out)
    }

    /// Waits for the next line on stderr.
    pub(crate) fn complaint(&mut self) -> String {
        line(&mut self.err)
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill(Pid::from_raw(self.id().cast_signed()), signal).unwrap();
    }

    pub(crate) fn input(&mut self) -> &mut ChildStdin {
        self.child.stdin.as_mut().unwrap()
    }

    pub(crate) fn types(&mut self, text: &str) {
        self.input().write_all(text.as_bytes()).unwrap();
    }

    /// Reads and discards output.
    pub(crate) fn skip(&mut self, bytes: u64) -> u64 {
        std::io::copy(&mut (&mut self.out).take(bytes), &mut std::io::sink()).unwrap()
    }

    /// Closes the reading end of stdout.
    pub(crate) fn stop_reading(&mut self) {
        self.out = BufReader::new(Box::new(std::io::empty()));
    }

    /// Waits for the exit; returns the status and the rest of both streams.
    pub(crate) fn ended(mut self) -> (ExitStatus, String, String) {
        drop(self.child.stdin.take());
        let (mut written, mut said) = (String::new(), String::new());
        self.out.read_to_string(&mut written).unwrap();
        self.err.read_to_string(&mut said).unwrap();
        (self.child.wait().unwrap(), written, said)
    }
}

fn line(from: &mut impl BufRead) -> String {
    let mut line = String::new();
    from.read_line(&mut line).unwrap();
    line.trim_end().to_owned()
}
