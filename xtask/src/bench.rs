//! `cargo xtask bench`: this library and its peers, measured in one run.
//!
//! The package in `bench/` measures; this installs its tools, builds it, and writes its report
//! to `bench/README.md`.

use std::fs;

use crate::run::{Failure, Run};
use crate::setup::{self, Tool};
use crate::{markers, only, paths, unknown};

/// One report, made by the program of that name in `bench/`.
struct Bench {
    name: &'static str,
    package: &'static str,
    tools: &'static [Tool],
    /// Cargo commands that build the measured programs first.
    builds: &'static [&'static str],
    options: &'static [&'static str],
}

/// The peers of the store are heavy, so they are a package of their own.
const STORE: &str = "bench/store/Cargo.toml";
const OTHERS: &str = "bench/Cargo.toml";

const PROGRAM: &str = "build --profile dist --features dist --package steadfast-cli";

const BENCHES: &[Bench] = &[
    Bench {
        name: "core",
        package: OTHERS,
        tools: setup::FOR_BENCH_CORE,
        builds: &[],
        options: &[QUICK, COMPILE, SIZES, WRITE],
    },
    Bench {
        name: "file",
        package: OTHERS,
        tools: setup::FOR_BENCH_FILE,
        builds: &[],
        options: &[QUICK, WRITE],
    },
    Bench {
        name: "cli",
        package: OTHERS,
        tools: setup::FOR_BENCH_FILE,
        builds: &[PROGRAM],
        options: &[WRITE],
    },
    Bench {
        name: "server",
        package: OTHERS,
        tools: setup::FOR_BENCH_SERVER,
        builds: &[PROGRAM, "build --profile dist --package steadfast-store --example fill"],
        options: &[WRITE],
    },
    Bench {
        name: "store",
        package: STORE,
        tools: setup::FOR_FAULT,
        builds: &[],
        options: &[QUICK, WRITE, NODE],
    },
];

/// The part of `core` that builds generated projects.
const BUILDS: &str = "steadfast-bench-builds";
/// The variable with the path of the command line program.
const CLI: &str = "STEADFAST_CLI";
const README: &str = "bench/README.md";
const QUICK: &str = "--quick";
const COMPILE: &str = "--compile";
const SIZES: &str = "--sizes";
const WRITE: &str = "--write";
const NODE: &str = "--node";

pub(crate) fn run(arguments: &[String]) -> Result<(), Failure> {
    let bench = bench_named(arguments.first())?;
    let options = arguments.get(1..).unwrap_or_default();
    only(options, bench.options)?;
    let has = |option: &str| options.iter().any(|given| given == option);
    if let Some(part) = [QUICK, COMPILE, SIZES].into_iter().find(|part| has(part))
        && has(WRITE)
    {
        return Err(Failure::usage(
            format!("{part} measures only a part, so its report is not written"),
            format!("pass {part} or {WRITE}, not both"),
        ));
    }
    // The other options are for the benchmark itself.
    let program_options = options.iter().filter(|option| *option != WRITE);
    let report = match has(COMPILE) || has(SIZES) {
        true => measure_builds(bench, program_options)?,
        false => measure(bench, program_options)?,
    };
    println!("{report}");
    if has(WRITE) { write(bench, &report) } else { Ok(()) }
}

/// Names of all benchmarks.
pub(crate) fn names() -> impl Iterator<Item = &'static str> + Clone {
    BENCHES.iter().map(|bench| bench.name)
}

fn bench_named(name: Option<&String>) -> Result<&'static Bench, Failure> {
    let names = names();
    let Some(name) = name else {
        return Err(Failure::usage(
            "no benchmark named".to_owned(),
            format!("pass one of {}", names.collect::<Vec<_>>().join(", ")),
        ));
    };
    let found = BENCHES.iter().find(|bench| bench.name == name);
    found.ok_or_else(|| unknown("benchmark", name, names))
}

fn measure<'o>(
    bench: &Bench,
    options: impl Iterator<Item = &'o String>,
) -> Result<String, Failure> {
    setup::tools(bench.tools)?;
    in_bench(bench, "build", ["--workspace", "--bins"])
        .next("fix the benchmarks; `cargo xtask test` checks them as well")
        .go()?;
    bench.builds.iter().try_for_each(|build| Run::cargo(build).go())?;
    in_bench(bench, "run", ["--quiet", "--bin", bench.name, "--"])
        .arguments(options.map(String::as_str))
        .variable(CLI, paths::target().join("dist/steadfast"))
        .read()
}

/// Runs the part that needs no benchmark to be built.
fn measure_builds<'o>(
    bench: &Bench,
    options: impl Iterator<Item = &'o String>,
) -> Result<String, Failure> {
    setup::tools(&[setup::C_COMPILER])?;
    in_bench(bench, "run", ["--quiet", "--package", BUILDS, "--"])
        .arguments(options.map(String::as_str))
        .read()
}

fn in_bench<const N: usize>(bench: &Bench, command: &str, options: [&str; N]) -> Run {
    Run::cargo(command)
        .arguments(["--release", "--manifest-path", bench.package])
        .arguments(options)
}

fn write(bench: &Bench, report: &str) -> Result<(), Failure> {
    let path = paths::root().join(README);
    let failed = |error| Failure::plain(format!("{README}: {error}"), "check that it is writable");
    let text = fs::read_to_string(&path).map_err(failed)?;
    let Some(text) = markers::replaced(&text, bench.name, report) else {
        let markers = format!("<!-- {0}: … --> and <!-- /{0} -->", bench.name);
        return Err(Failure::plain(
            format!("{README} has no markers for this report"),
            format!("add {markers} where it belongs"),
        ));
    };
    fs::write(&path, text).map_err(failed)?;
    eprintln!("written to {README}");
    Ok(())
}
