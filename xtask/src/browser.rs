//! `cargo xtask browser`: the page in a real browser, as a person uses it.
//!
//! The tests are in `browser/`, in the language that browsers are driven with. This builds the
//! program, installs what drives the browser, and runs them.

use crate::run::{Failure, Run};
use crate::{only, place, setup};

/// The program, and one whose sessions the page shows.
const PROGRAMS: &str =
    "build --quiet --package steadfast-cli --package steadfast-store --bins --example record";
/// Makes the pictures of the page anew, instead of trying it.
const SCREENSHOTS: &str = "--screenshots";

pub(crate) fn run(arguments: &[String]) -> Result<(), Failure> {
    only(arguments, &[SCREENSHOTS])?;
    setup::tools(setup::FOR_BROWSER)?;
    match arguments.is_empty() {
        true => tests(),
        false => node("browser/screenshots.mjs"),
    }
}

/// What `cargo xtask test` runs; the tools are there by then.
pub(crate) fn tests() -> Result<(), Failure> {
    node("--test browser/tests/")
}

fn node(arguments: &str) -> Result<(), Failure> {
    Run::cargo(PROGRAMS).go()?;
    Run::new("npm")
        .arguments("install --prefix browser --no-package-lock --no-audit --no-fund".split(' '))
        .argument("--loglevel=error")
        .next("see that npm can install packages")
        .go()?;
    Run::new("node")
        .arguments(arguments.split(' '))
        .variable("STEADFAST", place::target().join("debug/steadfast"))
        .next("run the failing file alone: `node --test browser/tests/<its name>`")
        .go()
}
