//! `cargo xtask fault`: break workers and databases on purpose, and check what is left.
//!
//! The breaking and the checking are in the package `fault/`; this builds it, sees that what it
//! needs is there, and hands on what it is told.

use crate::run::{Failure, Run};
use crate::setup;

/// The rounds that `cargo xtask test` plays: one on each store, long enough for leases to expire.
const SHORT: &str = "--rounds 1 --trouble 6 --tasks 400 --workers 4";

pub(crate) fn run(arguments: &[String]) -> Result<(), Failure> {
    setup::tools(setup::FOR_FAULT)?;
    play(arguments)
}

/// Nothing has to be installed for it: the tests have seen to that.
pub(crate) fn short() -> Result<(), Failure> {
    let arguments: Vec<String> = SHORT.split_whitespace().map(str::to_owned).collect();
    play(&arguments)
}

fn play(arguments: &[String]) -> Result<(), Failure> {
    Run::cargo("run --quiet --package steadfast-fault -- play")
        .arguments(arguments)
        .next(
            "play the round again by its seed: `cargo xtask fault --seed N --rounds 1 --keep DIR`",
        )
        .go()
}
