//! Fuzz runs: libFuzzer within limits, its log, and the outcome.

use std::collections::VecDeque;
use std::fs;
use std::num::NonZero;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use super::{ARTIFACTS, directory, unwritable};
use crate::paths;
use crate::run::{Failure, Run};

/// Limits of one input: seconds, megabytes, bytes.
const INPUT_LIMITS: [&str; 3] = ["-timeout=10", "-rss_limit_mb=1024", "-max_len=65536"];

/// How often progress is printed.
const REPORT_INTERVAL: Duration = Duration::from_secs(10);

/// Lines that start the report of a crash; without one the report has the last lines.
const CRASH_MARKERS: [&str; 2] = ["panicked at ", "ERROR: libFuzzer"];
const MAX_LOG_LINES: usize = 12;
const MAX_LINE_CHARS: usize = 500;

/// Fuzzes as many targets at once as there are processors.
pub(super) fn run_all(
    programs: &Path,
    targets: &[&'static str],
    time: Duration,
) -> Result<(), Failure> {
    let at_once = thread::available_parallelism().map_or(1, NonZero::get);
    let mut outcomes = Vec::new();
    for batch in targets.chunks(at_once) {
        thread::scope(|scope| {
            let start = |target| scope.spawn(move || one(programs, target, time));
            let running: Vec<_> = batch.iter().copied().map(start).collect();
            let ended = running.into_iter().map(|search| search.join().unwrap_or_else(died));
            outcomes.extend(ended);
        });
    }
    outcomes.into_iter().collect()
}

fn died<T>(_: Box<dyn std::any::Any + Send>) -> Result<T, Failure> {
    Err(Failure::plain("a thread panicked", "read what it printed above"))
}

fn one(programs: &Path, target: &'static str, time: Duration) -> Result<(), Failure> {
    let run = prepare(programs, target, time)?;
    let mut log = FuzzLog::new(target);
    let ended = run.follow(|line| log.read_line(line));
    match ended {
        Ok(()) => eprintln!("    {target}: {}", log.summary()),
        Err(_) => log.print_last_lines(),
    }
    log.outcome(&run, ended)
}

fn prepare(programs: &Path, target: &str, time: Duration) -> Result<Run, Failure> {
    let corpus = directory().join("corpus").join(target);
    let seeds = directory().join("seeds").join(target);
    let artifacts = paths::root().join(ARTIFACTS).join(target);
    for path in [&corpus, &artifacts] {
        fs::create_dir_all(path).map_err(|error| unwritable(path, &error))?;
    }
    Ok(Run::new(programs.join(target))
        .arguments(INPUT_LIMITS)
        .argument(format!("-max_total_time={}", time.as_secs()))
        .argument(format!("-dict={}", seeds.with_extension("dict").display()))
        .argument(format!("-artifact_prefix={ARTIFACTS}/{target}/"))
        .argument("-print_final_stats=1")
        // libFuzzer writes new inputs to the first directory.
        .arguments([corpus, seeds])
        .variable("RUST_BACKTRACE", "0")
        .next("read its last lines above"))
}

/// The log of one libFuzzer run.
struct FuzzLog {
    target: &'static str,
    start: Instant,
    last_report: Instant,
    inputs: u64,
    features: u64,
    new_inputs: u64,
    megabytes: u64,
    slowest: u64,
    artifact: Option<String>,
    crashed: bool,
    last_lines: VecDeque<String>,
}

impl FuzzLog {
    fn new(target: &'static str) -> Self {
        let start = Instant::now();
        Self {
            target,
            start,
            last_report: start,
            inputs: 0,
            features: 0,
            new_inputs: 0,
            megabytes: 0,
            slowest: 0,
            artifact: None,
            crashed: false,
            last_lines: VecDeque::new(),
        }
    }

    fn read_line(&mut self, line: &str) {
        if let Some(status) = line.strip_prefix('#') {
            return self.read_status(status);
        }
        if let Some((name, value)) = line.strip_prefix("stat::").and_then(|it| it.split_once(':')) {
            return self.read_total(name, value.trim().parse().unwrap_or_default());
        }
        if let Some((_, path)) = line.split_once("Test unit written to ") {
            self.artifact = Some(path.trim().to_owned());
        }
        self.push_line(line);
    }

    fn push_line(&mut self, line: &str) {
        if !self.crashed && CRASH_MARKERS.iter().any(|marker| line.contains(marker)) {
            self.crashed = true;
            self.last_lines.clear();
        }
        if self.last_lines.len() == MAX_LOG_LINES {
            if self.crashed {
                return;
            }
            self.last_lines.pop_front();
        }
        self.last_lines.push_back(line.chars().take(MAX_LINE_CHARS).collect());
    }

    /// `84472  REDUCE cov: 8704 ft: 25226 corp: 2072/2097Kb …`
    fn read_status(&mut self, status: &str) {
        let mut words = status.split_whitespace();
        let inputs = words.next().and_then(|word| word.parse().ok());
        let features = words.skip_while(|word| *word != "ft:").nth(1);
        self.inputs = inputs.unwrap_or(self.inputs);
        self.features = features.and_then(|word| word.parse().ok()).unwrap_or(self.features);
        if self.last_report.elapsed() >= REPORT_INTERVAL {
            self.last_report = Instant::now();
            eprintln!("    {}: {} inputs, {} features", self.target, self.inputs, self.features);
        }
    }

    fn read_total(&mut self, name: &str, value: u64) {
        match name {
            "number_of_executed_units" => self.inputs = value,
            "new_units_added" => self.new_inputs = value,
            "peak_rss_mb" => self.megabytes = value,
            "slowest_unit_time_sec" => self.slowest = value,
            _ => {}
        }
    }

    fn summary(&self) -> String {
        let Self { inputs, features, new_inputs, megabytes, slowest, .. } = self;
        let seconds = self.start.elapsed().as_secs();
        format!(
            "{inputs} inputs in {seconds} s, {features} features, {new_inputs} new, \
             {megabytes} MB at most, {slowest} s for the slowest"
        )
    }

    fn print_last_lines(&self) {
        for line in &self.last_lines {
            eprintln!("    {}: {line}", self.target);
        }
    }

    /// A run without inputs proves nothing and is a failure.
    fn outcome(&self, run: &Run, ended: Result<(), Failure>) -> Result<(), Failure> {
        if let Some(artifact) = &self.artifact {
            return Err(failing_input(self.target, artifact, run));
        }
        ended?;
        if self.inputs == 0 {
            let next = "check that it was built with its flags and has seeds";
            let what = format!("{} ran no input", self.target);
            return Err(Failure::new(what, run.to_string(), next.to_owned()));
        }
        Ok(())
    }
}

fn failing_input(target: &str, artifact: &str, run: &Run) -> Failure {
    let name = Path::new(artifact).file_name().unwrap_or_default().to_string_lossy();
    let what = match name.split_once('-') {
        Some(("timeout", _)) => "takes too long",
        Some(("oom", _)) => "takes too much memory",
        _ => "violates a property",
    };
    Failure::new(
        format!("{target}: an input {what}: {artifact}"),
        run.to_string(),
        format!(
            "run it again with `cargo xtask fuzz {target} --input {artifact}`, fix what it \
             shows, and add the input as a test"
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log(lines: &str) -> FuzzLog {
        let mut log = FuzzLog::new("import");
        lines.lines().for_each(|line| log.read_line(line));
        log
    }

    fn outcome(log: &FuzzLog) -> Result<(), String> {
        let outcome = log.outcome(&Run::new("import"), Ok(()));
        outcome.map_err(|failure| failure.to_string())
    }

    #[test]
    fn summary_of_a_run_is_one_line() {
        let log = log("INFO: Seed: 1\n\
             #2\tINITED cov: 3 ft: 4 corp: 1/1b exec/s: 0 rss: 30Mb\n\
             #84492\tDONE   cov: 8704 ft: 25226 corp: 2072/2097Kb lim: 4409 exec/s: 2725\n\
             stat::number_of_executed_units: 84492\n\
             stat::new_units_added:          1922\n\
             stat::slowest_unit_time_sec:    1\n\
             stat::peak_rss_mb:              42\n");
        let expected = "84492 inputs in 0 s, 25226 features, 1922 new, \
                        42 MB at most, 1 s for the slowest";
        assert_eq!(log.summary(), expected);
        assert_eq!(outcome(&log), Ok(()));
    }

    #[test]
    fn run_without_inputs_is_a_failure() {
        assert!(outcome(&log("INFO: Seed: 1\n")).unwrap_err().contains("ran no input"));
    }

    #[test]
    fn failing_input_is_reported_with_the_command_to_repeat_it() {
        let line = "artifact_prefix='a/'; Test unit written to a/crash-57e5";
        let failure = outcome(&log(line)).unwrap_err();
        assert!(failure.contains("violates a property: a/crash-57e5"), "{failure}");
        assert!(failure.contains("cargo xtask fuzz import --input a/crash-57e5"), "{failure}");
        let slow = outcome(&log("Test unit written to a/timeout-1")).unwrap_err();
        assert!(slow.contains("takes too long"), "{slow}");
    }

    #[test]
    fn last_lines_of_a_log_are_limited() {
        let log = log(&format!("{}\n", "word".repeat(1000)).repeat(100));
        assert_eq!(log.last_lines.len(), MAX_LOG_LINES);
        assert!(log.last_lines.iter().all(|line| line.len() == MAX_LINE_CHARS));
    }

    #[test]
    fn last_lines_of_a_log_start_with_the_panic() {
        let after = "a frame\n".repeat(100);
        let log = log(&format!("NEW_FUNC\nthread 'x' panicked at a.rs:1:2:\n{after}"));
        assert_eq!(log.last_lines.len(), MAX_LOG_LINES);
        assert!(log.last_lines.iter().next().unwrap().contains("a.rs:1:2"));
    }
}
