//! Running a program: say what runs, how long it took, and when it failed what
//! failed, where, and what to do next.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::time::{Duration, Instant};

use crate::place;

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

    /// Cargo, the same that runs us, with arguments parted by blanks.
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

    /// What a person should do when it fails.
    pub(crate) fn next(mut self, next: &'static str) -> Self {
        self.next = next;
        self
    }

    /// Runs it in sight of the person.
    pub(crate) fn go(&self) -> Result<(), Failure> {
        // Standard output is for what we were asked for, not for the way there.
        self.run(self.command().stdout(std::io::stderr()))?;
        Ok(())
    }

    /// Runs what we were asked for: what it writes is our own output, which may go into a pipe.
    pub(crate) fn show(&self) -> Result<(), Failure> {
        self.run(self.command().stdout(Stdio::inherit()))?;
        Ok(())
    }

    /// Runs it and hands over what it wrote on standard output.
    pub(crate) fn read(&self) -> Result<String, Failure> {
        let output = self.run(self.command().stdout(Stdio::piped()))?;
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// What it answers when it is content; nothing is shown.
    pub(crate) fn answer(&self) -> Option<String> {
        let output = self.command().output().ok()?;
        let answer = String::from_utf8_lossy(&output.stdout);
        output.status.success().then(|| answer.trim().to_owned())
    }

    /// Runs it and hands over each line that it says on standard error, as it says it.
    pub(crate) fn follow(&self, mut hear: impl FnMut(&str)) -> Result<(), Failure> {
        eprintln!("    $ {self}");
        let began = Instant::now();
        let failed = |error| self.did_not_start(&error);
        let mut command = self.command();
        let mut child =
            command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().map_err(failed)?;
        let said = child.stderr.take().map(|said| BufReader::new(said).split(b'\n'));
        for line in said.into_iter().flatten().map_while(Result::ok) {
            hear(&String::from_utf8_lossy(&line));
        }
        let status = child.wait().map_err(failed)?;
        if status.success() { Ok(()) } else { Err(self.failed(status, began.elapsed())) }
    }

    fn run(&self, command: &mut Command) -> Result<Output, Failure> {
        eprintln!("    $ {self}");
        let began = Instant::now();
        let child = command.stderr(Stdio::inherit()).spawn();
        let output =
            child.and_then(Child::wait_with_output).map_err(|error| self.did_not_start(&error))?;
        if !output.status.success() {
            return Err(self.failed(output.status, began.elapsed()));
        }
        Ok(output)
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command
            .args(&self.arguments)
            .current_dir(place::root())
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

/// Cargo tells the program it runs about that program's package. Some build
/// scripts watch those variables: handed on, they would rebuild whenever the
/// person changes between `cargo xtask` and plain cargo.
fn of_this_package(variable: &OsStr) -> bool {
    let name = variable.to_string_lossy();
    name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_")
}

/// The command line, so that it can be copied into a shell.
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

/// A duration as a person reads it off a log.
pub(crate) fn seconds(duration: Duration) -> String {
    format!("{:.1} s", duration.as_secs_f64())
}

/// What failed, where, and what to do next.
#[derive(Debug)]
pub(crate) struct Failure {
    what: String,
    place: Option<String>,
    next: String,
    usage: bool,
}

impl Failure {
    /// Something went wrong while `ran` was run.
    pub(crate) fn new(what: String, ran: String, next: String) -> Self {
        Failure { what, place: Some(ran), next, usage: false }
    }

    /// Something is not as it must be.
    pub(crate) fn plain(what: impl Into<String>, next: impl Into<String>) -> Self {
        Failure { what: what.into(), place: None, next: next.into(), usage: false }
    }

    /// We were called in a way that we don't understand.
    pub(crate) fn usage(what: String, next: String) -> Self {
        Failure { usage: true, ..Failure::plain(what, next) }
    }

    /// The same failure, with the step that it happened in.
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
        if let Some(ran) = &self.place {
            write!(f, "\n  ran:  {ran}\n  in:   {}", place::root().display())?;
        }
        write!(f, "\n  next: {}", self.next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_says_what_where_and_what_next() {
        let run = Run::new("false").variable("A", "b c").next("tell the truth");
        let told = run.go().unwrap_err().in_step("lie").to_string();
        assert!(told.starts_with("error: lie: `false` failed after"), "{told}");
        assert!(told.contains("ran:  A='b c' false"), "{told}");
        assert!(told.contains("next: tell the truth"), "{told}");
    }

    #[test]
    fn a_program_that_is_missing_is_a_failure_too() {
        let failure = Run::new("no-such-program").read().unwrap_err();
        assert!(failure.to_string().contains("did not start"), "{failure}");
        assert_eq!(failure.exit_code(), 1);
    }

    #[test]
    fn what_is_read_is_the_standard_output() {
        let read = Run::new("echo").argument("one").read().unwrap();
        assert_eq!(read, "one\n");
    }

    /// Shows a word, in a process whose output is looked at. Does nothing when the tests are run.
    #[test]
    fn a_process_that_shows_a_word() {
        if std::env::var_os(SHOWS).is_some() {
            Run::new("echo").argument("a word that was asked for").show().unwrap();
        }
    }

    const SHOWS: &str = "XTASK_TEST_SHOWS";

    #[test]
    fn what_is_shown_is_our_own_output() {
        let this = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "run::tests::a_process_that_shows_a_word", "--nocapture"])
            .env(SHOWS, "1")
            .output()
            .unwrap();
        let shown = String::from_utf8_lossy(&this.stdout);
        assert!(shown.contains("a word that was asked for\n"), "{shown}");
    }

    #[test]
    fn what_is_followed_is_the_standard_error_line_by_line() {
        let mut heard = Vec::new();
        let shell = Run::new("sh").arguments(["-c", "echo no; printf 'one\\ntwo' >&2; exit 3"]);
        let failure = shell.follow(|line| heard.push(line.to_owned())).unwrap_err();
        assert_eq!(heard, ["one", "two"]);
        assert!(failure.to_string().contains("exit status: 3"), "{failure}");
    }
}
