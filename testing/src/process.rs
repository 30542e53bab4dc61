//! A child process that a test can kill.
//!
//! It may print lines, such as one when it is ready. It shuts down when its standard input closes, if it
//! uses [`wait_for_parent_exit`], and so does not outlive its parent.

use std::io::{self, BufRead, BufReader, Lines};
use std::process::{Child, ChildStdout, Command, Stdio};

use crate::Error;

/// A process that was started here. Dropping it kills it.
#[derive(Debug)]
pub struct Process {
    name: String,
    child: Child,
    /// Its output, if that is piped.
    lines: Option<Lines<BufReader<ChildStdout>>>,
}

impl Process {
    /// Starts it. Its lines can be read if the command pipes its standard output.
    pub fn start(command: &mut Command) -> Result<Self, Error> {
        let name = command.get_program().display().to_string();
        let mut child = command.stdin(Stdio::piped()).spawn().map_err(|error| {
            Error::new(format!("{name} did not start: {error}"), "check that this user may run it")
        })?;
        let lines = child.stdout.take().map(|output| BufReader::new(output).lines());
        Ok(Self { name, child, lines })
    }

    /// Waits for its next line.
    pub fn line(&mut self) -> Result<String, Error> {
        match self.lines.as_mut().and_then(Iterator::next) {
            Some(Ok(line)) => Ok(line),
            Some(Err(error)) => Err(self.failed(&format!("cannot be read: {error}"))),
            None => Err(self.failed("ended before it printed the expected line")),
        }
    }

    /// Its process id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Whether it has not ended by itself.
    pub fn is_running(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// Kills it with SIGKILL.
    pub fn kill(mut self) -> Result<(), Error> {
        let killed = self.child.kill();
        killed.map_err(|error| self.failed(&format!("cannot be killed: {error}")))
    }

    /// Shuts it down, and returns its last line.
    pub fn end(mut self) -> Result<Option<String>, Error> {
        drop(self.child.stdin.take());
        let last = self.lines.take().and_then(|lines| lines.map_while(Result::ok).last());
        match self.child.wait() {
            Ok(status) if status.success() => Ok(last),
            Ok(status) => Err(self.failed(&format!("did not exit successfully ({status})"))),
            Err(error) => Err(self.failed(&format!("cannot be awaited: {error}"))),
        }
    }

    fn failed(&self, how: &str) -> Error {
        Error::new(format!("{} {how}", self.name), "see its output above")
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The command that runs one `#[ignore]`d test of this program, as its child process.
pub fn ignored_test(name: &str) -> Result<Command, Error> {
    let program = std::env::current_exe().map_err(|error| {
        Error::new(format!("the path of this program is unknown: {error}"), "check that it exists")
    })?;
    let mut command = Command::new(program);
    command.args(["--ignored", "--exact", name, "--nocapture"]);
    Ok(command)
}

/// Waits until the parent has closed the standard input or has ended.
pub fn wait_for_parent_exit() {
    // An input that cannot be read counts as closed.
    let _ = io::copy(&mut io::stdin().lock(), &mut io::sink());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Process {
        Process::start(Command::new("sh").args(["-c", script]).stdout(Stdio::piped())).unwrap()
    }

    #[test]
    fn process_prints_lines_and_ends_with_its_input() {
        let mut process = shell("echo ready; cat; echo working; echo done");
        assert_eq!(process.line().unwrap(), "ready");
        assert!(process.is_running());
        assert_eq!(process.end().unwrap().as_deref(), Some("done"));
    }

    #[test]
    fn killed_or_dropped_process_has_ended() {
        for end in [|process: Process| process.kill().unwrap(), drop] {
            let process = shell("echo ready; cat");
            let entry = std::path::PathBuf::from(format!("/proc/{}", process.id()));
            assert!(entry.exists());
            end(process);
            assert!(!entry.exists());
        }
    }

    #[test]
    fn unexpected_end_is_an_error_with_the_program() {
        let error = shell("exit 3").line().unwrap_err();
        assert_eq!(error.what(), "sh ended before it printed the expected line");
        let error = shell("exit 3").end().unwrap_err();
        assert!(error.what().starts_with("sh did not exit successfully (exit"), "{error}");
    }
}
