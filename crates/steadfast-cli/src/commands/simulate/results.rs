//! Simulation results as a table and as JSON.

use std::time::Duration;

use steadfast_sim::Outcome;

use crate::commands::prelude::*;
use crate::output::human_duration::format as human_duration;

/// The results per policy; a list in JSON.
#[derive(Serialize)]
#[serde(transparent)]
pub(super) struct SimulationResults<'o> {
    pub(super) outcomes: &'o [Outcome],
    #[serde(skip)]
    pub(super) until: Duration,
}

const COLUMNS: [&str; 9] = [
    "policy",
    "calls",
    "per client",
    "completed",
    "gave up",
    "unfinished",
    "peak calls/s",
    "p50",
    "p99",
];

impl Printable for SimulationResults<'_> {
    fn write_text(&self, page: &mut dyn Write) -> io::Result<()> {
        let [_, numbers @ ..] = &COLUMNS;
        let mut table = Table::with_columns(&COLUMNS, numbers);
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
        table.write(page)?;
        for outcome in self.outcomes.iter().filter(|outcome| outcome.gave_up > 0) {
            writeln!(page, "{} gave up: {}", outcome.policy, reasons(outcome))?;
        }
        if self.outcomes.iter().any(|outcome| outcome.unfinished > 0) {
            writeln!(page, "unfinished: still retrying after {}", human_duration(self.until))?;
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
