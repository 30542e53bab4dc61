//! A peer's process, from `READY` to its end.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use steadfast_bench_drive::{DONE, READY};

/// Longer than any peer takes to get ready or to end: past it, it hangs.
const PATIENCE: Duration = Duration::from_secs(90);

/// A process that does something to be measured, killed when dropped.
pub struct Measured {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl Measured {
    /// Starts it, and waits until it is ready.
    pub fn ready(command: &mut Command) -> Result<Self> {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let output = child.stdout.take().context("a child without an output")?;
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            let read = BufReader::new(output).lines().map_while(Result::ok);
            read.for_each(|line| drop(sender.send(line)));
        });
        let measured = Measured { input: child.stdin.take(), child, lines };
        measured.hear(READY, PATIENCE)?;
        Ok(measured)
    }

    /// Does something that is always measured, and forgets the figures.
    pub fn just(command: &mut Command) -> Result<()> {
        let mut measured = Self::ready(command)?;
        measured.go()?;
        measured.done(PATIENCE)?;
        measured.end()
    }

    /// Lets it go.
    pub fn go(&mut self) -> Result<()> {
        let input = self.input.as_mut().context("a child without an input")?;
        writeln!(input)?;
        Ok(input.flush()?)
    }

    /// Waits until it is done, for its figures.
    pub fn done(&self, patience: Duration) -> Result<Vec<f64>> {
        let line = self.hear(DONE, patience)?;
        let figures = line.split_whitespace().skip(1).map(str::parse);
        figures.collect::<Result<_, _>>().with_context(|| format!("these are no figures: {line}"))
    }

    /// Lets it end, and waits until it has.
    pub fn end(mut self) -> Result<()> {
        self.input = None;
        match self.lines.recv_timeout(PATIENCE) {
            Err(RecvTimeoutError::Disconnected) => {}
            Err(RecvTimeoutError::Timeout) => bail!("it does not end"),
            Ok(line) => bail!("it said more than it should: {line}"),
        }
        let status = self.child.wait()?;
        if !status.success() {
            bail!("it failed in the end: {status}");
        }
        Ok(())
    }

    /// Its number among the processes.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// The next line that begins with this word.
    fn hear(&self, word: &str, patience: Duration) -> Result<String> {
        let limit = Instant::now() + patience;
        loop {
            let left = limit.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left) {
                Ok(line) if line.starts_with(word) => return Ok(line),
                Ok(line) => eprintln!("         {line}"),
                Err(RecvTimeoutError::Timeout) => bail!("not {word} after {patience:?}"),
                Err(RecvTimeoutError::Disconnected) => bail!("it ended before it was {word}"),
            }
        }
    }
}

impl Drop for Measured {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Runs a command to its end, and fails if it does.
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
        let mut measured = Measured::ready(&mut shell(script)).unwrap();
        measured.go().unwrap();
        assert_eq!(measured.done(PATIENCE).unwrap(), [1.5, 2.0]);
        measured.end().unwrap();
    }

    #[test]
    fn early_exit_and_hang_are_distinct_errors() {
        assert_eq!(failure(Measured::ready(&mut shell("exit 3"))), "it ended before it was READY");
        let measured = Measured::ready(&mut shell("echo READY; read never")).unwrap();
        let text = failure(measured.done(Duration::from_millis(10)));
        assert_eq!(text, "not DONE after 10ms");
    }

    #[test]
    fn a_process_that_fails_in_the_end_has_failed() {
        let measured = Measured::ready(&mut shell("echo READY; read end; exit 3")).unwrap();
        assert!(failure(measured.end()).contains("exit status: 3"));
        assert!(failure(run(&mut shell("exit 4"))).contains("exit status: 4"));
    }
}
