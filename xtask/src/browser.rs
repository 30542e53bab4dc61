//! `cargo xtask browser`: tests of the web UI in Chromium.
//!
//! The tests in `browser/` are JavaScript. This builds the program, installs playwright-core and
//! runs them.

use crate::run::{Failure, Run};
use crate::{only, paths, setup};

/// The program, and an example that records sessions for the page to show.
const PROGRAMS: &str =
    "build --quiet --package steadfast-cli --package steadfast-store --bins --example record";
/// Regenerates the screenshots instead of running the tests.
const SCREENSHOTS: &str = "--screenshots";

pub(crate) fn run(arguments: &[String]) -> Result<(), Failure> {
    only(arguments, &[SCREENSHOTS])?;
    setup::tools(setup::FOR_BROWSER)?;
    match arguments.is_empty() {
        true => tests(),
        false => node("browser/screenshots.mjs"),
    }
}

/// The run of `cargo xtask test`, which has installed the tools.
pub(crate) fn tests() -> Result<(), Failure> {
    node("--test browser/tests/")
}

fn node(arguments: &str) -> Result<(), Failure> {
    Run::cargo(PROGRAMS).go()?;
    Run::new("npm")
        .arguments("install --prefix browser --no-package-lock --no-audit --no-fund".split(' '))
        .argument("--loglevel=error")
        .next("check that npm can install packages")
        .go()?;
    Run::new("node")
        .arguments(arguments.split(' '))
        .variable("STEADFAST", paths::target().join("debug/steadfast"))
        .next("run the failing file alone: `node --test browser/tests/<its name>`")
        .go()
}
