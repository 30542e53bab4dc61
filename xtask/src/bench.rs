//! `cargo xtask bench`: this library and its peers, measured in one run.
//!
//! The measuring is done by the package in `bench/`; this builds it, sees that
//! its tools are there, and keeps its report where people read it.

use std::fs;

use crate::run::{Failure, Run};
use crate::setup::{self, Tool};
use crate::{markers, only, place, unknown};

/// One report, made by the program of that name in `bench/`.
struct Bench {
    name: &'static str,
    package: &'static str,
    tools: &'static [Tool],
    /// What of this workspace it measures, and is built first.
    of: &'static [&'static str],
    options: &'static [&'static str],
}

/// The peers' queues are heavy: they are built only by who wants them.
const STORE: &str = "bench/store/Cargo.toml";
const OTHERS: &str = "bench/Cargo.toml";

const PROGRAM: &str = "build --release --package steadfast-cli";

const BENCHES: &[Bench] = &[
    Bench {
        name: "core",
        package: OTHERS,
        tools: setup::FOR_BENCH_CORE,
        of: &[],
        options: &[QUICK, WRITE],
    },
    Bench {
        name: "file",
        package: OTHERS,
        tools: setup::FOR_BENCH_FILE,
        of: &[],
        options: &[QUICK, WRITE],
    },
    Bench {
        name: "cli",
        package: OTHERS,
        tools: setup::FOR_BENCH_FILE,
        of: &[PROGRAM],
        options: &[WRITE],
    },
    Bench {
        name: "server",
        package: OTHERS,
        tools: setup::FOR_BENCH_SERVER,
        of: &[PROGRAM, "build --release --package steadfast-store --example fill"],
        options: &[WRITE],
    },
    Bench {
        name: "store",
        package: STORE,
        tools: setup::FOR_FAULT,
        of: &[],
        options: &[QUICK, WRITE, NODE],
    },
];

/// The variable that tells a benchmark where the command line is.
const CLI: &str = "STEADFAST_CLI";
const README: &str = "bench/README.md";
const QUICK: &str = "--quick";
const WRITE: &str = "--write";
const NODE: &str = "--node";

pub(crate) fn run(arguments: &[String]) -> Result<(), Failure> {
    let bench = chosen(arguments.first())?;
    let options = arguments.get(1..).unwrap_or_default();
    only(options, bench.options)?;
    let has = |option: &str| options.iter().any(|given| given == option);
    if has(QUICK) && has(WRITE) {
        return Err(Failure::usage(
            "a quick run has no peers, so it is not written down".to_owned(),
            "leave out --quick or --write".to_owned(),
        ));
    }
    // Keeping the report is our own part; the rest is the program's.
    let report = measure(bench, options.iter().filter(|option| *option != WRITE))?;
    println!("{report}");
    if has(WRITE) { write(bench, &report) } else { Ok(()) }
}

/// What can be measured.
pub(crate) fn names() -> impl Iterator<Item = &'static str> + Clone {
    BENCHES.iter().map(|bench| bench.name)
}

fn chosen(name: Option<&String>) -> Result<&'static Bench, Failure> {
    let names = names();
    let Some(name) = name else {
        return Err(Failure::usage(
            "which benchmark?".to_owned(),
            format!("there is {}", names.collect::<Vec<_>>().join(", ")),
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
    in_bench(bench, "build", ["--bins"])
        .next("mend the benchmarks; `cargo xtask test` checks them as well")
        .go()?;
    bench.of.iter().try_for_each(|build| Run::cargo(build).go())?;
    in_bench(bench, "run", ["--quiet", "--bin", bench.name, "--"])
        .arguments(options.map(String::as_str))
        .variable(CLI, place::target().join("release/steadfast"))
        .read()
}

fn in_bench<const N: usize>(bench: &Bench, command: &str, options: [&str; N]) -> Run {
    Run::cargo(command)
        .arguments(["--release", "--manifest-path", bench.package])
        .arguments(options)
}

fn write(bench: &Bench, report: &str) -> Result<(), Failure> {
    let path = place::root().join(README);
    let failed = |error| Failure::plain(format!("{README}: {error}"), "see that it can be written");
    let text = fs::read_to_string(&path).map_err(failed)?;
    let Some(text) = markers::replaced(&text, bench.name, report) else {
        let markers = format!("<!-- {0}: … --> and <!-- /{0} -->", bench.name);
        return Err(Failure::plain(
            format!("{README} has no place for this report"),
            format!("put {markers} where it should stand"),
        ));
    };
    fs::write(&path, text).map_err(failed)?;
    eprintln!("written to {README}");
    Ok(())
}
