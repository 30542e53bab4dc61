//! A process of this program that another process of it started, and may kill.
//!
//! It says one line when it is ready. It ends in order when its standard input closes, and so
//! does not outlive whoever started it.

use std::path::Path;
use std::process::Stdio;

use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdout, Command};

use crate::Problem;

/// A process that was started here. Dropping it kills it.
#[derive(Debug)]
pub struct Process {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Process {
    /// Starts this program with these arguments.
    ///
    /// # Errors
    /// It cannot be started.
    pub fn start(program: &Path, arguments: &[&str]) -> Result<Self, Problem> {
        let mut child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .map_err(|error| format!("{} cannot be started: {error}", program.display()))?;
        let output = child.stdout.take().ok_or("a process has no output")?;
        Ok(Self { child, lines: BufReader::new(output).lines() })
    }

    /// Its next line.
    ///
    /// # Errors
    /// It ended instead.
    pub async fn line(&mut self) -> Result<String, Problem> {
        let line = self.lines.next_line().await?;
        line.ok_or_else(|| "a process ended before it said what it should; see above why".into())
    }

    /// `kill -9`: it has no last word.
    ///
    /// # Errors
    /// It cannot be killed.
    pub async fn kill(mut self) -> Result<(), Problem> {
        Ok(self.child.kill().await?)
    }

    /// Has it end in order, and answers with its last line.
    ///
    /// # Errors
    /// It did not end well.
    pub async fn end(mut self) -> Result<Option<String>, Problem> {
        drop(self.child.stdin.take());
        let mut last = None;
        while let Some(line) = self.lines.next_line().await? {
            last = Some(line);
        }
        let status = self.child.wait().await?;
        if status.success() { Ok(last) } else { Err(format!("a process ended: {status}").into()) }
    }
}

/// Resolves when whoever started this process has closed its standard input, or is gone.
pub async fn parent_is_gone() {
    let mut rest = Vec::new();
    // An input that cannot be read is as good as closed.
    let _ = tokio::io::stdin().read_to_end(&mut rest).await;
}
