//! The entry of a peer in the report.

use anyhow::Result;
use steadfast_bench_drive::Request;

/// A peer and its measured configurations.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// The name on the command line and in the report.
    pub name: &'static str,
    /// The program that runs the peer.
    pub program: Program,
    /// The data that remains of a finished task.
    pub stores: &'static str,
    /// The configurations of the drain section, the fastest recommended one first.
    pub drain: &'static [Run],
    /// The configurations of the submit section.
    pub submit: &'static [Run],
    /// The configurations of the future section.
    pub future: &'static [Run],
    /// The configurations of the lateness section.
    pub lateness: &'static [Run],
    /// The configurations of the churn section.
    pub churn: &'static [Run],
}

impl Entry {
    /// An entry with only the submit section, at the peer's defaults.
    pub const fn new(name: &'static str, program: Program, stores: &'static str) -> Self {
        Entry {
            name,
            program,
            stores,
            drain: &[],
            submit: BY_DEFAULT,
            future: &[],
            lateness: &[],
            churn: &[],
        }
    }
}

const BY_DEFAULT: &[Run] = &[Run::new("by default", &[])];

/// The program that runs a peer.
#[derive(Debug, Clone, Copy)]
pub enum Program {
    /// The program `peer` of this package.
    Builtin(fn(Request) -> Result<()>),
    /// The program of the package in `effectum/`.
    Effectum,
    /// A script in `node/`, run by Node.js.
    Node(&'static str),
}

/// One configuration of a peer.
#[derive(Debug, Clone, Copy)]
pub struct Run {
    /// The label in the report.
    pub label: &'static str,
    /// The settings, as `NAME=VALUE` arguments.
    pub settings: &'static [&'static str],
    /// The number of tasks to drain, smaller for slow configurations.
    pub tasks: u64,
    /// The maximum number of scheduled tasks, smaller for slow configurations.
    pub max_scheduled: u64,
    /// Whether a quick report includes this configuration.
    pub quick: bool,
}

impl Run {
    /// A configuration with the default numbers of tasks.
    pub const fn new(label: &'static str, settings: &'static [&'static str]) -> Self {
        Run { label, settings, tasks: 20_000, max_scheduled: 10_000_000, quick: false }
    }

    /// Sets the number of tasks to drain.
    pub const fn tasks(self, tasks: u64) -> Self {
        Run { tasks, ..self }
    }

    /// Sets the maximum number of scheduled tasks.
    pub const fn max_scheduled(self, max_scheduled: u64) -> Self {
        Run { max_scheduled, ..self }
    }

    /// Includes this configuration in quick reports.
    pub const fn quick(self) -> Self {
        Run { quick: true, ..self }
    }
}
