//! `cargo xtask fuzz`: look for an input that breaks a promise of the library.
//!
//! The promises, and what a search starts from, are in the package `fuzz/`; libFuzzer
//! does the searching. This builds its programs as cargo-fuzz would, so that nobody has
//! to install that, runs them within bounds, and says what came of it.
//!
//! What a search found out is kept in the build directory, and the next one goes on
//! from there.

mod asked;
mod search;

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::run::{Failure, Run};
use crate::{place, setup};
use asked::Asked;

/// The programs in `fuzz/fuzz_targets`.
const TARGETS: [&str; 4] = ["policy_file", "foreign", "rules_and_durations", "environment"];

/// How long each is searched in `cargo xtask test`.
const SHORT: Duration = Duration::from_secs(10);

/// Where an input that breaks a promise is kept.
const ARTIFACTS: &str = "fuzz/artifacts";

/// What makes a program tell libFuzzer which way it went, and what it compared.
const INSTRUMENTED: &str = "--cfg fuzzing -Cpasses=sancov-module \
    -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
    -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares";

pub(crate) fn run(arguments: &[String]) -> Result<(), Failure> {
    match Asked::read(arguments)? {
        Asked::Again { target, input } => again(target, &input),
        Asked::Search { targets, time } => search(&targets, time),
    }
}

/// The search that the tests make, long enough to see that every promise can still be
/// asked about and that nothing near the fixtures breaks one.
pub(crate) fn short() -> Result<(), Failure> {
    search(&TARGETS, SHORT)
}

fn search(targets: &[&'static str], time: Duration) -> Result<(), Failure> {
    let programs = build()?;
    plant_seeds(&programs)?;
    search::all(&programs, targets, time)
}

/// Runs one input, in sight of the person.
fn again(target: &'static str, input: &Path) -> Result<(), Failure> {
    let programs = build()?;
    Run::new(programs.join(target))
        .argument(input)
        .variable("RUST_BACKTRACE", "1")
        .next("mend what the panic above is about, and keep the input as a test")
        .go()?;
    println!("{} breaks no promise", input.display());
    Ok(())
}

/// Builds the programs, and says where they are.
fn build() -> Result<PathBuf, Failure> {
    setup::tools(setup::FOR_FUZZ)?;
    let host = host()?;
    // Naming a platform, if only our own, keeps the flags away from build scripts.
    Run::cargo("build --release --bins --manifest-path fuzz/Cargo.toml --target")
        .argument(&host)
        .variable("RUSTFLAGS", INSTRUMENTED)
        .variable("CARGO_TARGET_DIR", directory())
        .next("mend the package in fuzz/; `cargo xtask test` checks it as well")
        .go()?;
    Ok(directory().join(host).join("release"))
}

/// The platform that cargo builds for by itself.
fn host() -> Result<String, Failure> {
    let about = Run::cargo("-vV").answer().unwrap_or_default();
    let host = about.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| {
        Failure::plain("`cargo -vV` names no host", "see that cargo works, and is a recent one")
    })
}

/// Makes inputs of the fixtures as they are now.
fn plant_seeds(programs: &Path) -> Result<(), Failure> {
    let seeds = directory().join("seeds");
    match fs::remove_dir_all(&seeds) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            return Err(unwritable(&seeds, &error));
        }
        _ => {}
    }
    Run::new(programs.join("seeds"))
        .argument(place::root())
        .argument(&seeds)
        .next("see that the fixtures can be read and the build directory written")
        .go()
}

/// Other flags, other programs: they get a build directory of their own.
fn directory() -> PathBuf {
    place::target().join("fuzz")
}

fn unwritable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::plain(format!("{}: {error}", path.display()), "see that it can be written")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_target_is_searched() {
        let programs = fs::read_dir(place::root().join("fuzz/fuzz_targets")).unwrap();
        let mut programs: Vec<_> = programs.map(|entry| entry.unwrap().path()).collect();
        let mut known = TARGETS.map(|name| Path::new(name).with_extension("rs"));
        programs.sort();
        known.sort();
        let names = programs.iter().map(|path| path.file_name().unwrap());
        assert!(names.eq(known.iter().map(|path| path.as_os_str())), "{programs:?}");
    }
}
