//! The process of a peer, from its start to its exit.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use steadfast_bench_drive::{DONE, READY};

/// Longer than any peer takes to start or to exit.
const TIMEOUT: Duration = Duration::from_secs(90);

/// A process that performs an action, killed when dropped.
pub struct PeerProcess {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl PeerProcess {
    /// Starts the process and waits until it is ready.
    pub fn start(command: &mut Command) -> Result<Self> {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let output = child.stdout.take().context("the process has no stdout")?;
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            let read = BufReader::new(output).lines().map_while(Result::ok);
            read.for_each(|line| drop(sender.send(line)));
        });
        let process = PeerProcess { input: child.stdin.take(), child, lines };
        process.wait_for_line(READY, TIMEOUT)?;
        Ok(process)
    }

    /// Runs a whole action and discards its results.
    pub fn run_unmeasured(command: &mut Command) -> Result<()> {
        let mut process = Self::start(command)?;
        process.begin()?;
        process.wait_done(TIMEOUT)?;
        process.stop()
    }

    /// Sends the start signal.
    pub fn begin(&mut self) -> Result<()> {
        let input = self.input.as_mut().context("the process has no stdin")?;
        writeln!(input)?;
        Ok(input.flush()?)
    }

    /// Waits until the action is done and returns its results.
    pub fn wait_done(&self, timeout: Duration) -> Result<Vec<f64>> {
        let line = self.wait_for_line(DONE, timeout)?;
        let results = line.split_whitespace().skip(1).map(str::parse);
        results.collect::<Result<_, _>>().with_context(|| format!("invalid results: {line}"))
    }

    /// Closes the standard input of the process and waits for its exit.
    pub fn stop(mut self) -> Result<()> {
        self.input = None;
        match self.lines.recv_timeout(TIMEOUT) {
            Err(RecvTimeoutError::Disconnected) => {}
            Err(RecvTimeoutError::Timeout) => bail!("the process did not exit within {TIMEOUT:?}"),
            Ok(line) => bail!("unexpected output after {DONE}: {line}"),
        }
        let status = self.child.wait()?;
        if !status.success() {
            bail!("the process failed: {status}");
        }
        Ok(())
    }

    /// The process ID.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// The next line that starts with a word. Other lines are printed.
    fn wait_for_line(&self, word: &str, timeout: Duration) -> Result<String> {
        let deadline = Instant::now() + timeout;
        loop {
            let remaining = deadline.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(remaining) {
                Ok(line) if line.starts_with(word) => return Ok(line),
                Ok(line) => eprintln!("         {line}"),
                Err(RecvTimeoutError::Timeout) => bail!("no {word} within {timeout:?}"),
                Err(RecvTimeoutError::Disconnected) => bail!("the process exited before {word}"),
            }
        }
    }
}

impl Drop for PeerProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Runs a command to completion.
///
/// # Errors
/// The command cannot be started, or exits with a failure.
pub fn run(command: &mut Command) -> Result<()> {
    let status = command.stdin(Stdio::null()).stdout(Stdio::null()).status();
    let status = status.with_context(|| format!("{command:?}"))?;
    if !status.success() {
        bail!("{command:?}: {status}");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    fn failure<T>(result: Result<T>) -> String {
        result.err().unwrap().to_string()
    }

    #[test]
    fn results_are_read_among_other_output() {
        let script = "echo hello; echo READY; read go; echo so; echo DONE 1.5 2; read end; exit 0";
        let mut process = PeerProcess::start(&mut shell(script)).unwrap();
        process.begin().unwrap();
        assert_eq!(process.wait_done(TIMEOUT).unwrap(), [1.5, 2.0]);
        process.stop().unwrap();
    }

    #[test]
    fn early_exit_and_hang_are_distinct_errors() {
        assert_eq!(
            failure(PeerProcess::start(&mut shell("exit 3"))),
            "the process exited before READY"
        );
        let process = PeerProcess::start(&mut shell("echo READY; read never")).unwrap();
        let text = failure(process.wait_done(Duration::from_millis(10)));
        assert_eq!(text, "no DONE within 10ms");
    }

    #[test]
    fn nonzero_exit_status_is_an_error() {
        let process = PeerProcess::start(&mut shell("echo READY; read end; exit 3")).unwrap();
        assert!(failure(process.stop()).contains("exit status: 3"));
        assert!(failure(run(&mut shell("exit 4"))).contains("exit status: 4"));
    }
}
