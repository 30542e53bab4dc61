//! graphile-worker, on Node.js. Its program is `node/graphile-worker.mjs`.

use crate::entry::{Entry, Program, Run};

/// The entry of graphile-worker.
pub const ENTRY: Entry = Entry {
    drain: &[
        Run::new("as in its own benchmark", &["tuned=1"]),
        Run::new("default", &[]).tasks(5000),
    ],
    ..Entry::new("graphile-worker (node)", Program::Node("graphile-worker.mjs"), "nothing")
};
