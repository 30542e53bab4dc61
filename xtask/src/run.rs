//! Programs run by a command, and the failure reported when one fails: what, where, what next.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::time::{Duration, Instant};

use crate::paths;

/// A program to run at the root of the repository.
pub(crate) struct Run {
    program: OsString,
    arguments: Vec<OsString>,
    variables: Vec<(&'static str, OsString)>,
    next: &'static str,
}

impl Run {
    pub(crate) fn new(program: impl Into<OsString>) -> Self {
        Run {
            program: program.into(),
            arguments: Vec::new(),
            variables: Vec::new(),
            next: "read what it printed above",
        }
    }

    /// The cargo that runs xtask, with arguments separated by blanks.
    pub(crate) fn cargo(arguments: &str) -> Self {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        Run::new(cargo).arguments(arguments.split_whitespace())
    }

    pub(crate) fn argument(self, argument: impl AsRef<OsStr>) -> Self {
        self.arguments([argument])
    }

    pub(crate) fn arguments(mut self, more: impl IntoIterator<Item: AsRef<OsStr>>) -> Self {
        let more = more.into_iter().map(|a| a.as_ref().to_owned());
        self.arguments.extend(more);
        self
    }

    pub(crate) fn variable(mut self, name: &'static str, value: impl Into<OsString>) -> Self {
        self.variables.push((name, value.into()));
        self
    }

    /// What to do when it fails.
    pub(crate) fn next(mut self, next: &'static str) -> Self {
        self.next = next;
        self
    }

    /// Runs it with its output on standard error.
    pub(crate) fn go(&self) -> Result<(), Failure> {
        // Standard output carries only the result of the command.
        self.run(self.command().stdout(std::io::stderr()))?;
        Ok(())
    }

    /// Runs it with its output on our standard output, which may be a pipe.
    pub(crate) fn show(&self) -> Result<(), Failure> {
        self.run(self.command().stdout(Stdio::inherit()))?;
        Ok(())
    }

    /// Runs it and returns its standard output.
    pub(crate) fn read(&self) -> Result<String, Failure> {
        let output = self.run(self.command().stdout(Stdio::piped()))?;
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// Its trimmed standard output if it succeeds; nothing is shown.
    pub(crate) fn answer(&self) -> Option<String> {
        let output = self.command().output().ok()?;
        let answer = String::from_utf8_lossy(&output.stdout);
        output.status.success().then(|| answer.trim().to_owned())
    }

    /// Runs it and passes on each line of its standard error as it comes.
    pub(crate) fn follow(&self, mut on_line: impl FnMut(&str)) -> Result<(), Failure> {
        eprintln!("    $ {self}");
        let start = Instant::now();
        let failed = |error| self.did_not_start(&error);
        let mut command = self.command();
        let mut child =
            command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().map_err(failed)?;
        let lines = child.stderr.take().map(|stderr| BufReader::new(stderr).split(b'\n'));
        for line in lines.into_iter().flatten().map_while(Result::ok) {
            on_line(&String::from_utf8_lossy(&line));
        }
        let status = child.wait().map_err(failed)?;
        if status.success() { Ok(()) } else { Err(self.failed(status, start.elapsed())) }
    }

    fn run(&self, command: &mut Command) -> Result<Output, Failure> {
        eprintln!("    $ {self}");
        let start = Instant::now();
        let child = command.stderr(Stdio::inherit()).spawn();
        let output =
            child.and_then(Child::wait_with_output).map_err(|error| self.did_not_start(&error))?;
        if !output.status.success() {
            return Err(self.failed(output.status, start.elapsed()));
        }
        Ok(output)
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command
            .args(&self.arguments)
            .current_dir(paths::root())
            .envs(self.variables.iter().map(|(name, value)| (name, value)));
        for (name, _) in std::env::vars_os().filter(|(name, _)| of_this_package(name)) {
            command.env_remove(name);
        }
        command
    }

    fn name(&self) -> std::ffi::os_str::Display<'_> {
        let name = Path::new(&self.program).file_name();
        name.unwrap_or(&self.program).display()
    }

    fn did_not_start(&self, error: &std::io::Error) -> Failure {
        Failure::new(
            format!("`{}` did not start: {error}", self.name()),
            self.to_string(),
            "check that it is installed and on the PATH".to_owned(),
        )
    }

    fn failed(&self, status: ExitStatus, after: Duration) -> Failure {
        Failure::new(
            format!("`{}` failed after {} ({status})", self.name(), seconds(after)),
            self.to_string(),
            self.next.to_owned(),
        )
    }
}

/// Whether cargo set the variable to describe the xtask package. Some build scripts watch
/// these variables: passed on, they would cause a rebuild at every switch between
/// `cargo xtask` and plain cargo.
fn of_this_package(variable: &OsStr) -> bool {
    let name = variable.to_string_lossy();
    name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_")
}

/// The command line, ready to paste into a shell.
impl fmt::Display for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, value) in &self.variables {
            write!(f, "{name}={} ", quoted(value))?;
        }
        write!(f, "{}", self.name())?;
        for argument in &self.arguments {
            write!(f, " {}", quoted(argument))?;
        }
        Ok(())
    }
}

fn quoted(word: &OsStr) -> String {
    let word = word.to_string_lossy();
    if word.contains(' ') { format!("'{word}'") } else { word.into_owned() }
}

/// A duration for a log line.
pub(crate) fn seconds(duration: Duration) -> String {
    format!("{:.1} s", duration.as_secs_f64())
}

/// A failure: what failed, where, and what to do next.
#[derive(Debug)]
pub(crate) struct Failure {
    what: String,
    command: Option<String>,
    next: String,
    usage: bool,
}

impl Failure {
    /// A failure of a command line.
    pub(crate) fn new(what: String, command: String, next: String) -> Self {
        Failure { what, command: Some(command), next, usage: false }
    }

    /// A failure without a command line.
    pub(crate) fn plain(what: impl Into<String>, next: impl Into<String>) -> Self {
        Failure { what: what.into(), command: None, next: next.into(), usage: false }
    }

    /// A wrong use of xtask itself.
    pub(crate) fn usage(what: String, next: String) -> Self {
        Failure { usage: true, ..Failure::plain(what, next) }
    }

    /// The same failure, with the title of its step.
    pub(crate) fn in_step(self, title: &str) -> Self {
        Failure { what: format!("{title}: {}", self.what), ..self }
    }

    pub(crate) fn exit_code(&self) -> u8 {
        if self.usage { 2 } else { 1 }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error: {}", self.what)?;
        if let Some(command) = &self.command {
            write!(f, "\n  ran:  {command}\n  in:   {}", paths::root().display())?;
        }
        write!(f, "\n  next: {}", self.next)
    }
}

#[cfg(test)]
mod tests {
    use steadfast_testing::process::ignored_test;

    use super::*;

    #[test]
    fn failure_reports_what_where_and_what_next() {
        let run = Run::new("false").variable("A", "b c").next("read the log");
        let text = run.go().unwrap_err().in_step("step").to_string();
        assert!(text.starts_with("error: step: `false` failed after"), "{text}");
        assert!(text.contains("ran:  A='b c' false"), "{text}");
        assert!(text.contains("next: read the log"), "{text}");
    }

    #[test]
    fn missing_program_is_a_failure() {
        let failure = Run::new("no-such-program").read().unwrap_err();
        assert!(failure.to_string().contains("did not start"), "{failure}");
        assert_eq!(failure.exit_code(), 1);
    }

    #[test]
    fn read_returns_standard_output() {
        let read = Run::new("echo").argument("one").read().unwrap();
        assert_eq!(read, "one\n");
    }

    #[test]
    #[ignore = "child process of show_writes_to_our_standard_output"]
    fn child_process_that_shows_a_line() {
        Run::new("echo").argument("the result").show().unwrap();
    }

    #[test]
    fn show_writes_to_our_standard_output() {
        let child = ignored_test("run::tests::child_process_that_shows_a_line");
        let child = child.unwrap().output().unwrap();
        let shown = String::from_utf8_lossy(&child.stdout);
        assert!(shown.contains("the result\n"), "{shown}");
    }

    #[test]
    fn follow_passes_on_standard_error_line_by_line() {
        let mut lines = Vec::new();
        let shell = Run::new("sh").arguments(["-c", "echo no; printf 'one\\ntwo' >&2; exit 3"]);
        let failure = shell.follow(|line| lines.push(line.to_owned())).unwrap_err();
        assert_eq!(lines, ["one", "two"]);
        assert!(failure.to_string().contains("exit status: 3"), "{failure}");
    }
}
