//! effectum, on SQLite. Its program is the package in `effectum/`, because it links another version of
//! SQLite than the other peers.

use crate::entry::{Entry, Program, Run};

/// The entry of effectum.
pub const ENTRY: Entry = Entry {
    drain: &[
        Run::new("200 at once", &["concurrency=200"]).quick(),
        Run::new("10 at once, as in its example", &["concurrency=10"]).tasks(5000),
    ],
    ..Entry::new("effectum", Program::Effectum, "the row")
};
