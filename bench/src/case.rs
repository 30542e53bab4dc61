//! Cases and rows: one library doing one thing, and the cases that do the same thing.

/// Does the thing `n` times.
pub type Program = fn(n: u64);

/// One library doing what its row measures.
#[derive(Clone, Copy)]
pub struct Case {
    /// Who does it, as the report prints it. Unique in its row.
    pub name: &'static str,
    /// Does it `n` times.
    pub program: Program,
    /// What has to be taken off, see [`Case::failure`].
    pub twin: Option<Program>,
}

impl Case {
    /// Measures one call of `program`.
    pub const fn call(name: &'static str, program: Program) -> Self {
        Case { name, program, twin: None }
    }

    /// Measures one failed attempt: half of what a `session` that fails twice
    /// and then succeeds costs more than its `twin` that succeeds at once,
    /// under the same policy and with the same sleep.
    pub const fn failure(name: &'static str, session: Program, twin: Program) -> Self {
        Case { name, program: session, twin: Some(twin) }
    }

    /// The cost, from what one call of the program and of its twin cost.
    pub fn cost(program: f64, twin: Option<f64>) -> f64 {
        match twin {
            None => program,
            Some(twin) => (program - twin) / 2.0,
        }
    }
}

/// Cases that do the same thing.
#[derive(Clone, Copy)]
pub struct Row {
    /// For the command line and progress.
    pub id: &'static str,
    /// For the report.
    pub title: &'static str,
    /// The thing itself, without any library.
    pub bare: Option<Case>,
    /// This library. The first case is judged, others are shown beside it.
    pub ours: &'static [Case],
    /// Libraries that do what the row asks.
    pub peers: &'static [Case],
    /// Libraries that do less than the row asks: shown, never the best peer.
    pub aside: &'static [Case],
    /// The instructions that ours must not exceed.
    pub reach: f64,
}

impl Row {
    /// All cases, the bare one first.
    pub fn cases(&self) -> impl Iterator<Item = &Case> {
        let libraries = self.ours.iter().chain(self.peers).chain(self.aside);
        self.bare.iter().chain(libraries)
    }

    /// The same row without its peers.
    pub fn alone(self) -> Self {
        Row { peers: &[], aside: &[], ..self }
    }
}
