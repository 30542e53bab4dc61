//! pg-boss, on Node.js. Its program is `node/pg-boss.mjs`.

use crate::entry::{Entry, Program, Run};

/// The entry of pg-boss.
pub const ENTRY: Entry = Entry {
    drain: &[
        Run::new("1 000 at a time, in bursts", &["batch=1000"]),
        Run::new("100 at a time, in bursts", &["batch=100"]),
        Run::new("default", &[]).tasks(10),
    ],
    ..Entry::new("pg-boss", Program::Node("pg-boss.mjs"), "the row")
};
