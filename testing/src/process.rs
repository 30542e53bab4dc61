//! A process of a program of ours, to be killed.
//!
//! It may say lines, such as one when it is ready. It ends in order when its standard input
//! closes, if it heeds [`parent_is_gone`], and so does not outlive whoever started it.

use std::io::{self, BufRead, BufReader, Lines};
use std::process::{Child, ChildStdout, Command, Stdio};

use crate::Error;

/// A process that was started here. Dropping it kills it.
#[derive(Debug)]
pub struct Process {
    name: String,
    child: Child,
    /// What it says, if that goes to a pipe.
    lines: Option<Lines<BufReader<ChildStdout>>>,
}

impl Process {
    /// Starts it. Its lines can be read if the command pipes its standard output.
    pub fn start(command: &mut Command) -> Result<Self, Error> {
        let name = command.get_program().display().to_string();
        let mut child = command.stdin(Stdio::piped()).spawn().map_err(|error| {
            Error::new(format!("{name} did not start: {error}"), "see that this user may run it")
        })?;
        let lines = child.stdout.take().map(|output| BufReader::new(output).lines());
        Ok(Self { name, child, lines })
    }

    /// Its next line, which is waited for.
    pub fn line(&mut self) -> Result<String, Error> {
        match self.lines.as_mut().and_then(Iterator::next) {
            Some(Ok(line)) => Ok(line),
            Some(Err(error)) => Err(self.failed(&format!("cannot be heard: {error}"))),
            None => Err(self.failed("ended before it said what it should")),
        }
    }

    /// Its number with the system.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Whether it has not ended by itself.
    pub fn is_running(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// `kill -9`: it has no last word.
    pub fn kill(mut self) -> Result<(), Error> {
        let killed = self.child.kill();
        killed.map_err(|error| self.failed(&format!("cannot be killed: {error}")))
    }

    /// Has it end in order, and answers with its last line.
    pub fn end(mut self) -> Result<Option<String>, Error> {
        drop(self.child.stdin.take());
        let last = self.lines.take().and_then(|lines| lines.map_while(Result::ok).last());
        match self.child.wait() {
            Ok(status) if status.success() => Ok(last),
            Ok(status) => Err(self.failed(&format!("ended otherwise than it should ({status})"))),
            Err(error) => Err(self.failed(&format!("cannot be waited for: {error}"))),
        }
    }

    fn failed(&self, how: &str) -> Error {
        Error::new(format!("{} {how}", self.name), "see what it says above")
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Waits until whoever started this process has closed its standard input, or is gone.
pub fn parent_is_gone() {
    // An input that cannot be read is as good as closed.
    let _ = io::copy(&mut io::stdin().lock(), &mut io::sink());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Process {
        Process::start(Command::new("sh").args(["-c", script]).stdout(Stdio::piped())).unwrap()
    }

    #[test]
    fn it_says_when_it_is_ready_and_ends_when_its_input_does() {
        let mut process = shell("echo ready; cat; echo working; echo done");
        assert_eq!(process.line().unwrap(), "ready");
        assert!(process.is_running());
        assert_eq!(process.end().unwrap().as_deref(), Some("done"));
    }

    #[test]
    fn one_that_is_killed_or_dropped_is_gone() {
        for end in [|process: Process| process.kill().unwrap(), drop] {
            let process = shell("echo ready; cat");
            let entry = std::path::PathBuf::from(format!("/proc/{}", process.id()));
            assert!(entry.exists());
            end(process);
            assert!(!entry.exists());
        }
    }

    #[test]
    fn one_that_ends_too_soon_or_badly_is_told_by_its_name() {
        let error = shell("exit 3").line().unwrap_err();
        assert_eq!(error.what(), "sh ended before it said what it should");
        let error = shell("exit 3").end().unwrap_err();
        assert!(error.what().starts_with("sh ended otherwise than it should (exit"), "{error}");
    }
}
