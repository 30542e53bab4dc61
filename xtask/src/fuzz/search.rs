//! Searching: run the programs within bounds, follow what they say, and tell it.

use std::collections::VecDeque;
use std::fs;
use std::num::NonZero;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use super::{ARTIFACTS, directory, unwritable};
use crate::place;
use crate::run::{Failure, Run};

/// What one input may take: seconds, megabytes, bytes.
const BOUNDS: [&str; 3] = ["-timeout=10", "-rss_limit_mb=1024", "-max_len=65536"];

/// How often a person wants to hear from it.
const NEWS: Duration = Duration::from_secs(10);

/// As much of what it said as explains a crash: from one of these on, or else the last.
const ALARMS: [&str; 2] = ["panicked at ", "ERROR: libFuzzer"];
const LAST_WORDS: usize = 12;
const LONGEST_LINE: usize = 500;

/// Searches as many targets at once as there are processors.
pub(super) fn all(
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
    let mut told = Told::new(target);
    let ended = run.follow(|line| told.hear(line));
    match ended {
        Ok(()) => eprintln!("    {target}: {}", told.summary()),
        Err(_) => told.repeat_last_words(),
    }
    told.outcome(&run, ended)
}

fn prepare(programs: &Path, target: &str, time: Duration) -> Result<Run, Failure> {
    let corpus = directory().join("corpus").join(target);
    let seeds = directory().join("seeds").join(target);
    let artifacts = place::root().join(ARTIFACTS).join(target);
    for path in [&corpus, &artifacts] {
        fs::create_dir_all(path).map_err(|error| unwritable(path, &error))?;
    }
    Ok(Run::new(programs.join(target))
        .arguments(BOUNDS)
        .argument(format!("-max_total_time={}", time.as_secs()))
        .argument(format!("-dict={}", seeds.with_extension("dict").display()))
        .argument(format!("-artifact_prefix={ARTIFACTS}/{target}/"))
        .argument("-print_final_stats=1")
        // New inputs are kept in the first of these.
        .arguments([corpus, seeds])
        .variable("RUST_BACKTRACE", "0")
        .next("read what it said last, above"))
}

/// What libFuzzer has told so far.
struct Told {
    target: &'static str,
    began: Instant,
    news: Instant,
    inputs: u64,
    features: u64,
    kept: u64,
    megabytes: u64,
    slowest: u64,
    artifact: Option<String>,
    alarmed: bool,
    last_words: VecDeque<String>,
}

impl Told {
    fn new(target: &'static str) -> Self {
        let began = Instant::now();
        Self {
            target,
            began,
            news: began,
            inputs: 0,
            features: 0,
            kept: 0,
            megabytes: 0,
            slowest: 0,
            artifact: None,
            alarmed: false,
            last_words: VecDeque::new(),
        }
    }

    fn hear(&mut self, line: &str) {
        if let Some(status) = line.strip_prefix('#') {
            return self.hear_status(status);
        }
        if let Some((name, value)) = line.strip_prefix("stat::").and_then(|it| it.split_once(':')) {
            return self.hear_total(name, value.trim().parse().unwrap_or_default());
        }
        if let Some((_, path)) = line.split_once("Test unit written to ") {
            self.artifact = Some(path.trim().to_owned());
        }
        self.keep(line);
    }

    fn keep(&mut self, line: &str) {
        if !self.alarmed && ALARMS.iter().any(|alarm| line.contains(alarm)) {
            self.alarmed = true;
            self.last_words.clear();
        }
        if self.last_words.len() == LAST_WORDS {
            if self.alarmed {
                return;
            }
            self.last_words.pop_front();
        }
        self.last_words.push_back(line.chars().take(LONGEST_LINE).collect());
    }

    /// `84472  REDUCE cov: 8704 ft: 25226 corp: 2072/2097Kb …`
    fn hear_status(&mut self, status: &str) {
        let mut words = status.split_whitespace();
        let inputs = words.next().and_then(|word| word.parse().ok());
        let features = words.skip_while(|word| *word != "ft:").nth(1);
        self.inputs = inputs.unwrap_or(self.inputs);
        self.features = features.and_then(|word| word.parse().ok()).unwrap_or(self.features);
        if self.news.elapsed() >= NEWS {
            self.news = Instant::now();
            eprintln!("    {}: {} inputs, {} features", self.target, self.inputs, self.features);
        }
    }

    fn hear_total(&mut self, name: &str, value: u64) {
        match name {
            "number_of_executed_units" => self.inputs = value,
            "new_units_added" => self.kept = value,
            "peak_rss_mb" => self.megabytes = value,
            "slowest_unit_time_sec" => self.slowest = value,
            _ => {}
        }
    }

    fn summary(&self) -> String {
        let Self { inputs, features, kept, megabytes, slowest, .. } = self;
        let seconds = self.began.elapsed().as_secs();
        format!(
            "{inputs} inputs in {seconds} s, {features} features, {kept} new, \
             {megabytes} MB at most, {slowest} s for the slowest"
        )
    }

    fn repeat_last_words(&self) {
        for line in &self.last_words {
            eprintln!("    {}: {line}", self.target);
        }
    }

    /// A search that tried nothing found nothing, which is not the same as nothing wrong.
    fn outcome(&self, run: &Run, ended: Result<(), Failure>) -> Result<(), Failure> {
        if let Some(artifact) = &self.artifact {
            return Err(broken(self.target, artifact, run));
        }
        ended?;
        if self.inputs == 0 {
            let next = "see that it was built with its flags, and has seeds";
            let what = format!("{} tried no input", self.target);
            return Err(Failure::new(what, run.to_string(), next.to_owned()));
        }
        Ok(())
    }
}

fn broken(target: &str, artifact: &str, run: &Run) -> Failure {
    let name = Path::new(artifact).file_name().unwrap_or_default().to_string_lossy();
    let what = match name.split_once('-') {
        Some(("timeout", _)) => "takes too long",
        Some(("oom", _)) => "takes too much memory",
        _ => "breaks a promise",
    };
    Failure::new(
        format!("{target}: an input {what}: {artifact}"),
        run.to_string(),
        format!(
            "run it again with `cargo xtask fuzz {target} --input {artifact}`, mend what it \
             shows, and keep the input as a test"
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(lines: &str) -> Told {
        let mut told = Told::new("foreign");
        lines.lines().for_each(|line| told.hear(line));
        told
    }

    fn outcome(told: &Told) -> Result<(), String> {
        let outcome = told.outcome(&Run::new("foreign"), Ok(()));
        outcome.map_err(|failure| failure.to_string())
    }

    #[test]
    fn what_came_of_a_search_is_one_line() {
        let told = told(
            "INFO: Seed: 1\n\
             #2\tINITED cov: 3 ft: 4 corp: 1/1b exec/s: 0 rss: 30Mb\n\
             #84492\tDONE   cov: 8704 ft: 25226 corp: 2072/2097Kb lim: 4409 exec/s: 2725\n\
             stat::number_of_executed_units: 84492\n\
             stat::new_units_added:          1922\n\
             stat::slowest_unit_time_sec:    1\n\
             stat::peak_rss_mb:              42\n",
        );
        let expected = "84492 inputs in 0 s, 25226 features, 1922 new, \
                        42 MB at most, 1 s for the slowest";
        assert_eq!(told.summary(), expected);
        assert_eq!(outcome(&told), Ok(()));
    }

    #[test]
    fn a_search_that_tried_nothing_is_a_failure() {
        assert!(outcome(&told("INFO: Seed: 1\n")).unwrap_err().contains("tried no input"));
    }

    #[test]
    fn an_input_that_breaks_a_promise_can_be_run_again() {
        let written = "artifact_prefix='a/'; Test unit written to a/crash-57e5";
        let failure = outcome(&told(written)).unwrap_err();
        assert!(failure.contains("breaks a promise: a/crash-57e5"), "{failure}");
        assert!(failure.contains("cargo xtask fuzz foreign --input a/crash-57e5"), "{failure}");
        let slow = outcome(&told("Test unit written to a/timeout-1")).unwrap_err();
        assert!(slow.contains("takes too long"), "{slow}");
    }

    #[test]
    fn its_last_words_are_few_and_short() {
        let told = told(&format!("{}\n", "word".repeat(1000)).repeat(100));
        assert_eq!(told.last_words.len(), LAST_WORDS);
        assert!(told.last_words.iter().all(|line| line.len() == LONGEST_LINE));
    }

    #[test]
    fn its_last_words_begin_with_the_panic() {
        let after = "a frame\n".repeat(100);
        let told = told(&format!("NEW_FUNC\nthread 'x' panicked at a.rs:1:2:\n{after}"));
        assert_eq!(told.last_words.len(), LAST_WORDS);
        assert!(told.last_words.iter().next().unwrap().contains("a.rs:1:2"));
    }
}
