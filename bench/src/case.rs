//! Benchmark cases, and the report rows that group comparable cases.

/// Runs the measured operation `n` times.
pub type Program = fn(n: u64);

/// One library performing the operation of its row.
#[derive(Clone, Copy)]
pub struct Case {
    /// The name in the report, unique within the row.
    pub name: &'static str,
    /// Runs the operation `n` times.
    pub program: Program,
    /// The program whose cost is subtracted, see [`Case::failure`].
    pub baseline: Option<Program>,
}

impl Case {
    /// A case that costs one call of `program`.
    pub const fn call(name: &'static str, program: Program) -> Self {
        Case { name, program, baseline: None }
    }

    /// A case that costs one failed attempt: half of the difference between a `session` that fails
    /// twice before it succeeds and a `baseline` that succeeds at once, under the same policy and
    /// with the same sleep.
    pub const fn failure(name: &'static str, session: Program, baseline: Program) -> Self {
        Case { name, program: session, baseline: Some(baseline) }
    }

    /// The cost of a case, computed from one call of its program and one of its baseline.
    pub fn cost(program: f64, baseline: Option<f64>) -> f64 {
        match baseline {
            None => program,
            Some(baseline) => (program - baseline) / 2.0,
        }
    }
}

/// A row of the report: cases that perform the same operation.
#[derive(Clone, Copy)]
pub struct Row {
    /// The name on the command line and in progress messages.
    pub id: &'static str,
    /// The title in the report.
    pub title: &'static str,
    /// The operation without a library.
    pub bare: Option<Case>,
    /// The cases of this library. The first is compared with the goal and the peers.
    pub steadfast: &'static [Case],
    /// The libraries with all features of the row.
    pub peers: &'static [Case],
    /// The libraries that lack a feature of the row: listed, but never the best peer.
    pub partial_peers: &'static [Case],
    /// The maximum number of instructions for this library.
    pub goal: f64,
}

impl Row {
    /// All cases, the bare one first.
    pub fn cases(&self) -> impl Iterator<Item = &Case> {
        let libraries = self.steadfast.iter().chain(self.peers).chain(self.partial_peers);
        self.bare.iter().chain(libraries)
    }

    /// The same row without its peers.
    pub fn without_peers(self) -> Self {
        Row { peers: &[], partial_peers: &[], ..self }
    }
}
