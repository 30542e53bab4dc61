//! The command-line report: the startup cost of `steadfast run`, compared with a shell, and the
//! throughput of a command's output.

use std::ffi::OsString;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use steadfast_bench::programs::Error;
use steadfast_bench::report;

const ROUNDS: usize = 301;
/// The variable with the path of the program `steadfast`.
const CLI: &str = "STEADFAST_CLI";
/// The output of the throughput measurement.
const OUTPUT_BYTES: u64 = 2 << 30;
const GIB: f64 = (1_u64 << 30) as f64;

fn main() -> Result<(), Error> {
    let cli = std::env::var_os(CLI)
        .ok_or("STEADFAST_CLI: must be the path of the program `steadfast`")?;
    print!("{}\n{}", startup_table(&cli)?, throughput_table(&cli)?);
    Ok(())
}

/// A command line and its time in each round.
struct Case {
    name: &'static str,
    line: Vec<OsString>,
    times: Vec<Duration>,
}

impl Case {
    /// A case whose word `steadfast` is replaced by the path of the program.
    fn new(cli: &OsString, name: &'static str) -> Self {
        let word = |word: &str| if word == "steadfast" { cli.clone() } else { word.into() };
        Self { name, line: name.split(' ').map(word).collect(), times: Vec::new() }
    }

    fn round(&mut self) -> Result<(), Error> {
        self.times.push(time(&self.line)?);
        Ok(())
    }

    fn median(&mut self) -> Duration {
        self.times.sort_unstable();
        self.times.get(self.times.len() / 2).copied().unwrap_or_default()
    }
}

/// Runs a command with its output discarded, and returns the duration.
fn time(line: &[OsString]) -> Result<Duration, Error> {
    let (program, arguments) = line.split_first().ok_or("empty command line")?;
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let start = Instant::now();
    let status = command.status()?;
    let duration = start.elapsed();
    if status.success() { Ok(duration) } else { Err(format!("{line:?}: {status}").into()) }
}

/// The time to start a command and wait for its exit.
fn startup_table(cli: &OsString) -> Result<String, Error> {
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
    let head = ["command", "milliseconds", "over `true`", "ratio to `sh -c true`"];
    Ok(report::table(
        &head,
        medians.into_iter().map(|(name, duration)| {
            let over = milliseconds(duration) - milliseconds(bare);
            [
                format!("`{name}`"),
                format!("{:.2}", milliseconds(duration)),
                format!("{over:.2}"),
                format!("{:.2}", duration.as_secs_f64() / shell.as_secs_f64()),
            ]
        }),
    ))
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// The throughput of output through a pipe with a reader, as in a script.
fn throughput_table(cli: &OsString) -> Result<String, Error> {
    let shell = |line: String| time(&["sh".into(), "-c".into(), line.into()]);
    let cli = cli.to_string_lossy();
    let source = format!("sh -c 'yes \"a line of text\" | head -c {OUTPUT_BYTES}'");
    let rows = [
        ("bare command", shell(format!("{source} | cat"))?),
        ("`steadfast run`", shell(format!("{cli} run -- {source} | cat"))?),
        (
            "`steadfast run --retry-on-output`",
            shell(format!("{cli} run --retry-on-output 'timed out' -- {source} | cat"))?,
        ),
    ];
    let bare = rows[0].1;
    let head = ["2 GiB of output, by lines", "GiB/s", "time, ratio to the bare command"];
    Ok(report::table(
        &head,
        rows.into_iter().map(|(name, duration)| {
            let rate = OUTPUT_BYTES as f64 / GIB / duration.as_secs_f64();
            let ratio = duration.as_secs_f64() / bare.as_secs_f64();
            [name.to_owned(), format!("{rate:.2}"), format!("{ratio:.2}")]
        }),
    ))
}
