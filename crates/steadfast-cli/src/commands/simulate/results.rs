//! Simulation results as a table and as JSON.

use std::time::Duration;

use serde::Serializer;
use steadfast_sim::{Outcome, Scenario};

use crate::commands::prelude::*;
use crate::output::human_duration::format as human_duration;
use crate::output::table::Align;
use crate::output::width;

/// The results per policy; a list in JSON.
pub(super) struct SimulationResults<'o> {
    pub(super) scenario: &'o Scenario,
    pub(super) outcomes: &'o [Outcome],
}

impl Serialize for SimulationResults<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.outcomes.serialize(to)
    }
}

const COLUMNS: &[(&str, Align)] = &[
    ("policy", Align::Left),
    ("calls", Align::Right),
    ("per client", Align::Right),
    ("completed", Align::Right),
    ("gave up", Align::Right),
    ("unfinished", Align::Right),
    ("peak calls/s", Align::Right),
    ("p50", Align::Right),
    ("p99", Align::Right),
];

impl Printable for SimulationResults<'_> {
    fn write_text(&self, page: &mut dyn Write) -> io::Result<()> {
        let mut table = Table::with_columns(COLUMNS);
        for outcome in self.outcomes {
            table.row([
                outcome.policy.clone(),
                outcome.calls.to_string(),
                format!("{:.2}", outcome.amplification),
                outcome.completed.to_string(),
                outcome.gave_up.to_string(),
                outcome.unfinished.to_string(),
                format!("{:.0}", outcome.peak_rps),
                took(outcome.p50),
                took(outcome.p99),
            ]);
        }
        table.write(page, width::of_stdout())?;
        for outcome in self.outcomes.iter().filter(|outcome| outcome.gave_up > 0) {
            writeln!(page, "{} gave up: {}", outcome.policy, reasons(outcome))?;
        }
        if self.outcomes.iter().any(|outcome| outcome.unfinished > 0) {
            writeln!(
                page,
                "unfinished: still retrying after {}",
                human_duration(self.scenario.until)
            )?;
        }
        writeln!(page)
    }
}

fn took(seconds: Option<f64>) -> String {
    seconds
        .map_or_else(|| "–".to_owned(), |seconds| human_duration(Duration::from_secs_f64(seconds)))
}

fn reasons(outcome: &Outcome) -> String {
    let each = outcome.reasons.iter().map(|(reason, count)| format!("{count} {reason}"));
    each.collect::<Vec<_>>().join(", ")
}
