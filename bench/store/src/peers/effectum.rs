//! effectum, on SQLite. Driven by the package in `effectum/`: the SQLite that it links
//! cannot be linked together with anyone else's.

use crate::entry::{Entry, Program, Run};

/// effectum.
pub const ENTRY: Entry = Entry {
    drain: &[
        Run::new("200 at once", &["concurrency=200"]).quick(),
        Run::new("10 at once, as in its example", &["concurrency=10"]).tasks(5000),
    ],
    ..Entry::new("effectum", Program::Effectum, "the row")
};
