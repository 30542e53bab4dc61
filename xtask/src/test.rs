//! `cargo xtask test`: everything that must hold, quickest answer first.

mod server;

use std::time::{Duration, Instant};

use crate::run::{Failure, Run, seconds};
use crate::{browser, contract, docs, fault, fuzz, only, place, setup};
use server::Server;

pub(crate) fn run(arguments: &[String]) -> Result<(), Failure> {
    only(arguments, &["--full"])?;
    let mut steps = steps();
    if !arguments.is_empty() {
        steps.extend(full());
    }
    let began = Instant::now();
    let mut times = Times::default();
    let outcome = all(steps, &mut times);
    times.print(began.elapsed());
    eprintln!();
    outcome?;
    eprintln!("Everything holds.");
    Ok(())
}

/// One thing to check.
struct Step {
    title: &'static str,
    check: Check,
}

enum Check {
    Run(Run),
    /// A run of tests, which share a database server.
    Test(Run),
    Call(fn() -> Result<(), Failure>),
}

/// The benchmarks and what is fuzzed are packages of their own, which `--workspace`
/// leaves out.
const BENCH: &str = "--manifest-path bench/Cargo.toml";
const BENCH_STORE: &str = "--manifest-path bench/store/Cargo.toml --all";
const FUZZ: &str = "--manifest-path fuzz/Cargo.toml";

fn steps() -> Vec<Step> {
    let step = |title, run| Step { title, check: Check::Run(run) };
    let test = |title, run| Step { title, check: Check::Test(run) };
    let call = |title, call| Step { title, check: Check::Call(call) };
    vec![
        call("set-up", set_up),
        step("format", format("--all")),
        step("format of the benchmarks", format(BENCH)),
        step("format of the store's benchmarks", format(BENCH_STORE)),
        step("format of the fuzz targets", format(FUZZ)),
        step("lints, all features", lints("--workspace --all-features")),
        step("lints, no features", lints("--package steadfast --no-default-features")),
        step("lints of the benchmarks", in_one_place(lints(BENCH))),
        step(
            "lints of the fuzz targets",
            in_one_place(lints(&format!("{FUZZ} --no-default-features"))),
        ),
        // Unit tests, integration tests and the examples in the documentation.
        test("tests, all features", tests("--workspace --all-features")),
        test("tests, no features", tests("--package steadfast --no-default-features --lib")),
        test("tests of the benchmarks", in_one_place(tests(&format!("{BENCH} --lib")))),
        step("every interleaving of the guards", loom()),
        call("the API and its description, a short search", contract::short),
        call("the page in a browser", browser::tests),
        step("documentation", docs::build()),
        call("fuzz, a short run", fuzz::short),
        call("faults, a short run", fault::short),
    ]
}

/// What takes large downloads: these tests are ignored otherwise, and said to be.
fn full() -> Vec<Step> {
    let packages = "--package example-storage --package example-clickhouse";
    vec![
        Step {
            title: "set-up of the full tests",
            check: Check::Call(|| setup::tools(setup::FOR_FULL)),
        },
        Step {
            title: "the examples on servers with everything",
            check: Check::Test(tests(&format!("{packages} -- --ignored"))),
        },
    ]
}

fn format(what: &str) -> Run {
    Run::cargo(&format!("fmt {what} --check"))
        .next("run the same without --check, and look at what it changed")
}

fn lints(what: &str) -> Run {
    Run::cargo(&format!("clippy {what} --all-targets -- -D warnings"))
        .next("mend what the warnings point at; `cargo clippy --fix` can do some of it")
}

fn tests(what: &str) -> Run {
    Run::cargo(&format!("test {what}"))
        .next("run the failing test alone: `cargo test --all-features <its name>`")
}

/// The same build directory, for what these packages share with the rest.
fn in_one_place(run: Run) -> Run {
    run.variable("CARGO_TARGET_DIR", place::target())
}

/// Loom replaces the atomics, so everything is built anew: in a directory of
/// its own, and optimised, because it runs each test thousands of times.
fn loom() -> Run {
    Run::cargo("test --package steadfast --no-default-features --release --test loom_guards")
        .variable("RUSTFLAGS", "--cfg loom")
        .variable("CARGO_TARGET_DIR", place::target().join("loom"))
        .next("run it with LOOM_LOG=trace and LOOM_LOCATION=1 to see the interleaving that fails")
}

fn all(steps: Vec<Step>, times: &mut Times) -> Result<(), Failure> {
    let count = steps.len();
    let mut server = Server::default();
    for (index, Step { title, check }) in steps.into_iter().enumerate() {
        eprintln!("\n[{}/{count}] {title}", index + 1);
        let began = Instant::now();
        one(check, &mut server).map_err(|failure| failure.in_step(title))?;
        eprintln!("    done in {}", seconds(began.elapsed()));
        times.add(title, began.elapsed());
    }
    Ok(())
}

fn one(check: Check, server: &mut Server) -> Result<(), Failure> {
    match check {
        Check::Run(run) => run.go(),
        Check::Test(run) => server.tell(run)?.go(),
        Check::Call(call) => call(),
    }
}

fn set_up() -> Result<(), Failure> {
    setup::component("fmt", "rustfmt")?;
    setup::component("clippy", "clippy")?;
    setup::tools(setup::FOR_TESTS)
}

/// How long each step that held took.
#[derive(Default)]
struct Times(Vec<(&'static str, Duration)>);

impl Times {
    fn add(&mut self, title: &'static str, took: Duration) {
        self.0.push((title, took));
    }

    fn print(&self, total: Duration) {
        eprintln!();
        for (title, took) in self.0.iter().chain([&("in all", total)]) {
            eprintln!("{:>9}  {title}", seconds(*took));
        }
    }
}
