//! `cargo xtask fuzz`: fuzzing of every parser.
//!
//! The package `fuzz/` has the properties and the seed inputs; libFuzzer generates inputs.
//! This builds the targets as cargo-fuzz would, without installing it, runs them within
//! limits and reports the outcome. The corpus is stored in the build directory and reused by
//! the next run.

mod arguments;
mod fuzzer;

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::run::{Failure, Run};
use crate::{paths, setup};
use arguments::Arguments;

/// The programs in `fuzz/fuzz_targets`.
const TARGETS: [&str; 4] = ["policy_file", "import", "rules_and_durations", "environment"];

/// How long `cargo xtask test` fuzzes each target.
const SHORT: Duration = Duration::from_secs(10);

/// Directory of inputs that violate a property.
const ARTIFACTS: &str = "fuzz/artifacts";

/// Flags for the coverage instrumentation that libFuzzer reads.
const INSTRUMENTED: &str = "--cfg fuzzing -Cpasses=sancov-module \
    -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
    -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares";

pub(crate) fn run(arguments: &[String]) -> Result<(), Failure> {
    match Arguments::read(arguments)? {
        Arguments::Repeat { target, input } => repeat(target, &input),
        Arguments::Fuzz { targets, time } => fuzz(&targets, time),
    }
}

/// The run of `cargo xtask test`: checks that the targets work and that nothing near the
/// fixtures violates a property.
pub(crate) fn short() -> Result<(), Failure> {
    fuzz(&TARGETS, SHORT)
}

fn fuzz(targets: &[&'static str], time: Duration) -> Result<(), Failure> {
    let programs = build()?;
    write_seeds(&programs)?;
    fuzzer::run_all(&programs, targets, time)
}

/// Runs one input and shows its output.
fn repeat(target: &'static str, input: &Path) -> Result<(), Failure> {
    let programs = build()?;
    Run::new(programs.join(target))
        .argument(input)
        .variable("RUST_BACKTRACE", "1")
        .next("fix what the panic above is about, and add the input as a test")
        .go()?;
    println!("{} violates no property", input.display());
    Ok(())
}

/// Builds the targets and returns their directory.
fn build() -> Result<PathBuf, Failure> {
    setup::tools(setup::FOR_FUZZ)?;
    let host = host()?;
    // With an explicit platform the flags do not apply to build scripts.
    Run::cargo("build --release --bins --manifest-path fuzz/Cargo.toml --target")
        .argument(&host)
        .variable("RUSTFLAGS", INSTRUMENTED)
        .variable("CARGO_TARGET_DIR", directory())
        .next("fix the package in fuzz/; `cargo xtask test` checks it as well")
        .go()?;
    Ok(directory().join(host).join("release"))
}

/// Cargo's default platform.
fn host() -> Result<String, Failure> {
    let about = Run::cargo("-vV").answer().unwrap_or_default();
    let host = about.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| {
        Failure::plain("`cargo -vV` names no host", "check that cargo works and is recent")
    })
}

/// Writes seed inputs from the current fixtures.
fn write_seeds(programs: &Path) -> Result<(), Failure> {
    let seeds = directory().join("seeds");
    match fs::remove_dir_all(&seeds) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            return Err(unwritable(&seeds, &error));
        }
        _ => {}
    }
    Run::new(programs.join("seeds"))
        .argument(paths::root())
        .argument(&seeds)
        .next("check that the fixtures are readable and the build directory is writable")
        .go()
}

/// Build directory of the instrumented programs.
fn directory() -> PathBuf {
    paths::target().join("fuzz")
}

fn unwritable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::plain(format!("{}: {error}", path.display()), "check that it is writable")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_targets_are_listed() {
        let programs = fs::read_dir(paths::root().join("fuzz/fuzz_targets")).unwrap();
        let mut programs: Vec<_> = programs.map(|entry| entry.unwrap().path()).collect();
        let mut known = TARGETS.map(|name| Path::new(name).with_extension("rs"));
        programs.sort();
        known.sort();
        let names = programs.iter().map(|path| path.file_name().unwrap());
        assert!(names.eq(known.iter().map(|path| path.as_os_str())), "{programs:?}");
    }
}
