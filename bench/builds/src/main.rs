//! The build report: compile time and crates (`--compile`), size of a call site (`--sizes`); both
//! if neither is given. With `--quick`, only of this library.

use std::process::ExitCode;

use steadfast_bench_builds::library::{LIBRARIES, Library};
use steadfast_bench_builds::process::Error;
use steadfast_bench_builds::{call_sites, cold};

const COMPILE: &str = "--compile";
const SIZES: &str = "--sizes";
const QUICK: &str = "--quick";

fn main() -> ExitCode {
    match report() {
        Ok(report) => {
            print!("{report}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn report() -> Result<String, Error> {
    let has = |flag: &str| std::env::args().any(|given| given == flag);
    let all = !has(COMPILE) && !has(SIZES);
    let libraries: Vec<Library> =
        LIBRARIES.iter().filter(|library| !has(QUICK) || library.is_ours()).copied().collect();
    let mut tables = Vec::new();
    if all || has(COMPILE) {
        tables.push(cold::report(&libraries)?);
    }
    if all || has(SIZES) {
        tables.push(call_sites::report(&libraries)?);
    }
    Ok(tables.join("\n"))
}
