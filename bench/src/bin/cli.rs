//! The command-line report: the cost of `steadfast run` before a command, compared with a shell, and
//! the throughput of its output.

use std::ffi::OsString;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use steadfast_bench::programs::Error;
use steadfast_bench::report;

const ROUNDS: usize = 301;
const CLI: &str = "STEADFAST_CLI";
/// How much is written where throughput is measured.
const BYTES: u64 = 2 << 30;
const GIB: f64 = (1_u64 << 30) as f64;

fn main() -> Result<(), Error> {
    let cli = std::env::var_os(CLI).ok_or("STEADFAST_CLI must name the program `steadfast`")?;
    print!("{}\n{}", starting(&cli)?, passing(&cli)?);
    Ok(())
}

/// A command line, and how long it took in each round.
struct Case {
    name: &'static str,
    line: Vec<OsString>,
    took: Vec<Duration>,
}

impl Case {
    /// `steadfast` stands for the program, wherever it is.
    fn new(cli: &OsString, name: &'static str) -> Self {
        let word = |word: &str| if word == "steadfast" { cli.clone() } else { word.into() };
        Self { name, line: name.split(' ').map(word).collect(), took: Vec::new() }
    }

    fn round(&mut self) -> Result<(), Error> {
        self.took.push(timed(&self.line)?);
        Ok(())
    }

    fn median(&mut self) -> Duration {
        self.took.sort_unstable();
        self.took.get(self.took.len() / 2).copied().unwrap_or_default()
    }
}

/// Duration of a command whose output is discarded.
fn timed(line: &[OsString]) -> Result<Duration, Error> {
    let (program, arguments) = line.split_first().ok_or("an empty command line")?;
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let began = Instant::now();
    let status = command.status()?;
    let took = began.elapsed();
    if status.success() { Ok(took) } else { Err(format!("{line:?}: {status}").into()) }
}

fn starting(cli: &OsString) -> Result<String, Error> {
    let lines = [
        "true",
        "sh -c true",
        "timeout 60 true",
        "steadfast run -- true",
        "steadfast run --attempt-timeout 60s -- true",
        "steadfast run --retry-on-output never -- true",
        "steadfast run --preset sql -- true",
        "steadfast --help",
        "steadfast run --help",
    ];
    let mut cases = lines.map(|line| Case::new(cli, line));
    for round in 0..ROUNDS {
        cases.rotate_left(round % lines.len());
        cases.iter_mut().try_for_each(Case::round)?;
    }
    cases.sort_by_key(|case| lines.iter().position(|line| *line == case.name));
    let medians = cases.each_mut().map(|case| (case.name, case.median()));
    let [bare, shell] = [medians[0].1, medians[1].1];
    let head = ["started", "milliseconds", "over `true`", "ratio to `sh -c true`"];
    Ok(report::table(
        &head,
        medians.into_iter().map(|(name, took)| {
            let over = milliseconds(took) - milliseconds(bare);
            [
                format!("`{name}`"),
                format!("{:.2}", milliseconds(took)),
                format!("{over:.2}"),
                format!("{:.2}", took.as_secs_f64() / shell.as_secs_f64()),
            ]
        }),
    ))
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// Through a pipe with a reader, as in a script.
fn passing(cli: &OsString) -> Result<String, Error> {
    let shell = |line: String| timed(&["sh".into(), "-c".into(), line.into()]);
    let cli = cli.to_string_lossy();
    let source = format!("sh -c 'yes \"a line of text\" | head -c {BYTES}'");
    let rows = [
        ("without it", shell(format!("{source} | cat"))?),
        ("`steadfast run`", shell(format!("{cli} run -- {source} | cat"))?),
        (
            "`steadfast run --retry-on-output`",
            shell(format!("{cli} run --retry-on-output 'timed out' -- {source} | cat"))?,
        ),
    ];
    let bare = rows[0].1;
    let head = ["2 GiB of output, by lines", "GiB/s", "ratio of time to without it"];
    Ok(report::table(
        &head,
        rows.into_iter().map(|(name, took)| {
            let rate = BYTES as f64 / GIB / took.as_secs_f64();
            let ratio = took.as_secs_f64() / bare.as_secs_f64();
            [name.to_owned(), format!("{rate:.2}"), format!("{ratio:.2}")]
        }),
    ))
}
