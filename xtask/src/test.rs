//! `cargo xtask test`: all checks, the fastest first.
//!
//! There are three tiers. `--quick` is for the inner loop: formatting, wording, lints, unit tests
//! and the store's conformance suite on SQLite. Without a flag everything runs that CI runs.
//! `--full` adds the tests that need large downloads.

mod shared_postgres;

use std::time::{Duration, Instant};

use crate::run::{Failure, Run, seconds};
use crate::{
    browser, contract, docs, fault, fuzz, library_examples, only, package, paths, setup, wording,
};
use shared_postgres::SharedPostgres;

const QUICK: &str = "--quick";
const FULL: &str = "--full";

pub(crate) fn run(arguments: &[String]) -> Result<(), Failure> {
    only(arguments, &[QUICK, FULL])?;
    let has = |flag: &str| arguments.iter().any(|argument| argument == flag);
    let steps = match (has(QUICK), has(FULL)) {
        (true, true) => {
            return Err(Failure::usage(
                format!("{QUICK} and {FULL} exclude each other"),
                "pass one of them".to_owned(),
            ));
        }
        (true, false) => quick_steps(),
        (false, true) => standard_steps().into_iter().chain(download_steps()).collect(),
        (false, false) => standard_steps(),
    };
    let start = Instant::now();
    let mut times = StepTimes::default();
    let outcome = run_all(steps, &mut times);
    times.print(start.elapsed());
    eprintln!();
    outcome?;
    eprintln!("All checks passed.");
    Ok(())
}

/// One check and its title.
struct Step {
    title: &'static str,
    check: Check,
}

enum Check {
    Run(Run),
    /// A run of tests, which use the shared database server.
    Test(Run),
    Call(fn() -> Result<(), Failure>),
}

/// Packages outside the workspace, which `--workspace` leaves out.
const BENCH: &str = "--manifest-path bench/Cargo.toml --all";
const BENCH_STORE: &str = "--manifest-path bench/store/Cargo.toml --all";
const FUZZ: &str = "--manifest-path fuzz/Cargo.toml";

fn step(title: &'static str, run: Run) -> Step {
    Step { title, check: Check::Run(run) }
}

fn test(title: &'static str, run: Run) -> Step {
    Step { title, check: Check::Test(run) }
}

fn call(title: &'static str, call: fn() -> Result<(), Failure>) -> Step {
    Step { title, check: Check::Call(call) }
}

/// The inner loop: no server, browser or download is needed.
fn quick_steps() -> Vec<Step> {
    vec![
        call("toolchain", toolchain),
        step("format", format("--all")),
        call("wording", wording::check),
        step("lints", lints("--workspace --all-features")),
        step("unit tests", tests("--workspace --exclude xtask --all-features --lib --bins")),
        step(
            "conformance on SQLite",
            tests("--workspace --exclude xtask --all-features --test conformance -- sqlite"),
        ),
    ]
}

fn standard_steps() -> Vec<Step> {
    vec![
        call("tools", tools),
        step("format", format("--all")),
        step("format of the benchmarks", format(BENCH)),
        step("format of the store benchmarks", format(BENCH_STORE)),
        step("format of the fuzz targets", format(FUZZ)),
        call("wording", wording::check),
        step("lints, all features", lints("--workspace --all-features")),
        step("lints, default features", lints("--package steadfast")),
        step("lints, no features", lints("--package steadfast --no-default-features")),
        step("lints, a few features", lints("--package steadfast --features serde,tracing")),
        call("library for WebAssembly", wasm),
        step("lints of the benchmarks", in_shared_target(lints(BENCH))),
        step(
            "lints of the fuzz targets",
            in_shared_target(lints(&format!("{FUZZ} --no-default-features"))),
        ),
        // Unit tests, integration tests and the examples in the documentation.
        test("tests, all features", tests("--workspace --all-features")),
        call("examples of the library", library_examples::check),
        test("tests, no features", tests("--package steadfast --no-default-features")),
        test("tests of the benchmarks", in_shared_target(tests(&format!("{BENCH} --lib")))),
        step("guards under every thread interleaving", loom()),
        call("API against its OpenAPI description", contract::short),
        call("web UI in a browser", browser::tests),
        step("documentation", docs::build()),
        call("packages", package::check),
        call("fuzzing, short run", fuzz::short),
        call("fault injection, short run", fault::short),
    ]
}

/// Tests that need large downloads; they are ignored otherwise.
fn download_steps() -> Vec<Step> {
    let packages = "--package example-storage --package example-clickhouse";
    vec![
        call("tools of the full tests", || setup::tools(setup::FOR_FULL)),
        test("examples on servers with all extensions", tests(&format!("{packages} -- --ignored"))),
    ]
}

fn format(scope: &str) -> Run {
    Run::cargo(&format!("fmt {scope} --check"))
        .next("run the same command without --check and review the changes")
}

fn lints(scope: &str) -> Run {
    Run::cargo(&format!("clippy {scope} --all-targets -- -D warnings"))
        .next("fix the warnings; `cargo clippy --fix` handles some of them")
}

/// Checks the library for a target without clock, threads and entropy, if that target is installed.
fn wasm() -> Result<(), Failure> {
    const TARGET: &str = "wasm32-unknown-unknown";
    let installed = Run::new("rustup").arguments(["target", "list", "--installed"]).answer();
    if !installed.is_some_and(|targets| targets.lines().any(|target| target == TARGET)) {
        eprintln!("    skipped: `rustup target add {TARGET}` enables it");
        return Ok(());
    }
    Run::cargo(&format!("check --package steadfast --no-default-features --target {TARGET}"))
        .next("move what the target lacks behind a feature")
        .go()
}

fn tests(scope: &str) -> Run {
    Run::cargo(&format!("test {scope}"))
        .next("run the failing test alone: `cargo test --all-features <its name>`")
}

/// Builds in the workspace's target directory, which shares the dependencies.
fn in_shared_target(run: Run) -> Run {
    run.variable("CARGO_TARGET_DIR", paths::target())
}

/// Loom replaces the atomics, so everything is rebuilt: in its own directory, and
/// optimised, because each test runs thousands of times.
fn loom() -> Run {
    Run::cargo("test --package steadfast --no-default-features --release --test loom_guards")
        .variable("RUSTFLAGS", "--cfg loom")
        .variable("CARGO_TARGET_DIR", paths::target().join("loom"))
        .next("set LOOM_LOG=trace and LOOM_LOCATION=1 to see the failing interleaving")
}

fn run_all(steps: Vec<Step>, times: &mut StepTimes) -> Result<(), Failure> {
    let count = steps.len();
    let mut server = SharedPostgres::default();
    for (index, Step { title, check }) in steps.into_iter().enumerate() {
        eprintln!("\n[{}/{count}] {title}", index + 1);
        let start = Instant::now();
        run_one(check, &mut server).map_err(|failure| failure.in_step(title))?;
        eprintln!("    done in {}", seconds(start.elapsed()));
        times.add(title, start.elapsed());
    }
    Ok(())
}

fn run_one(check: Check, server: &mut SharedPostgres) -> Result<(), Failure> {
    match check {
        Check::Run(run) => run.go(),
        Check::Test(run) => server.provide(run)?.go(),
        Check::Call(call) => call(),
    }
}

fn toolchain() -> Result<(), Failure> {
    setup::component("fmt", "rustfmt")?;
    setup::component("clippy", "clippy")?;
    setup::tools(&[setup::C_COMPILER])
}

fn tools() -> Result<(), Failure> {
    toolchain()?;
    setup::tools(setup::FOR_TESTS)
}

/// Time spent in each completed step.
#[derive(Default)]
struct StepTimes(Vec<(&'static str, Duration)>);

impl StepTimes {
    fn add(&mut self, title: &'static str, elapsed: Duration) {
        self.0.push((title, elapsed));
    }

    fn print(&self, total: Duration) {
        eprintln!();
        for (title, elapsed) in self.0.iter().chain([&("total", total)]) {
            eprintln!("{:>9}  {title}", seconds(*elapsed));
        }
    }
}
