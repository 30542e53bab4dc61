//! graphile-worker, on Node. Driven by `node/graphile-worker.mjs`.

use crate::entry::{Entry, Program, Run};

/// graphile-worker.
pub const ENTRY: Entry = Entry {
    drain: &[
        Run::new("as in its own benchmark", &["tuned=1"]),
        Run::new("default", &[]).tasks(5000),
    ],
    ..Entry::new("graphile-worker (node)", Program::Node("graphile-worker.mjs"), "nothing")
};
