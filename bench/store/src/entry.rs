//! A peer's entry in the report.

use anyhow::Result;
use steadfast_bench_drive::Request;

/// A peer, and how it is to be measured.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// On the command line and in the report.
    pub name: &'static str,
    /// What drives it.
    pub program: Program,
    /// What is left of a task that is finished.
    pub keeps: &'static str,
    /// How it is drained, the first as a person would set it who measures.
    pub drain: &'static [Run],
    /// How it is submitted to.
    pub submit: &'static [Run],
    /// How it is drained while other tasks wait for a later day.
    pub future: &'static [Run],
    /// How it idles and wakes.
    pub lateness: &'static [Run],
    /// How it works while an old transaction is open.
    pub churn: &'static [Run],
}

impl Entry {
    /// A peer that is submitted to, and not measured otherwise yet.
    pub const fn new(name: &'static str, program: Program, keeps: &'static str) -> Self {
        Entry {
            name,
            program,
            keeps,
            drain: &[],
            submit: BY_DEFAULT,
            future: &[],
            lateness: &[],
            churn: &[],
        }
    }
}

const BY_DEFAULT: &[Run] = &[Run::new("by default", &[])];

/// The program that drives a peer.
#[derive(Debug, Clone, Copy)]
pub enum Program {
    /// `peer`, of this package.
    Here(fn(Request) -> Result<()>),
    /// The package in `effectum/`.
    Effectum,
    /// A script in `node/`.
    Node(&'static str),
}

/// One way to set a peer.
#[derive(Debug, Clone, Copy)]
pub struct Run {
    /// In the report.
    pub label: &'static str,
    /// On the command line: `NAME=VALUE`.
    pub settings: &'static [&'static str],
    /// How many are drained. A slow one gets less, or the report takes a day.
    pub tasks: u64,
    /// With how many scheduled tasks it is tried at most, for the same reason.
    pub future: u64,
    /// Whether a quick report has it.
    pub quick: bool,
}

impl Run {
    /// A way to set a peer.
    pub const fn new(label: &'static str, settings: &'static [&'static str]) -> Self {
        Run { label, settings, tasks: 20_000, future: 10_000_000, quick: false }
    }

    /// With another number of tasks.
    pub const fn tasks(self, tasks: u64) -> Self {
        Run { tasks, ..self }
    }

    /// With fewer scheduled tasks.
    pub const fn future(self, future: u64) -> Self {
        Run { future, ..self }
    }

    /// In quick reports, too.
    pub const fn quick(self) -> Self {
        Run { quick: true, ..self }
    }
}
