//! `cargo xtask fault`: fault injection for workers and databases.
//!
//! The package `fault/` injects the faults and checks the outcome; this installs its tools, builds
//! it and passes the arguments on.

use crate::run::{Failure, Run};
use crate::setup;

/// The run of `cargo xtask test`: one round on each store, long enough for leases to expire.
const SHORT: &str = "--rounds 1 --fault-seconds 6 --tasks 400 --workers 4";

pub(crate) fn run(arguments: &[String]) -> Result<(), Failure> {
    setup::tools(setup::FOR_FAULT)?;
    start(arguments)
}

/// The run of `cargo xtask test`, which has installed the tools.
pub(crate) fn short() -> Result<(), Failure> {
    let arguments: Vec<String> = SHORT.split_whitespace().map(str::to_owned).collect();
    start(&arguments)
}

fn start(arguments: &[String]) -> Result<(), Failure> {
    Run::cargo("run --quiet --package steadfast-fault -- run")
        .arguments(arguments)
        .next("repeat the round by its seed: `cargo xtask fault --seed N --rounds 1 --keep DIR`")
        .go()
}
