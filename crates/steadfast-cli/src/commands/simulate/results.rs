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
            let (policy, gave_up) = (&outcome.policy, outcome.gave_up);
            writeln!(page, "{policy}: {gave_up} gave up: {}", reasons(outcome))?;
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

/// The reason, or each with its count.
fn reasons(outcome: &Outcome) -> String {
    let mut labels = outcome.reason_labels.iter();
    match (labels.next(), labels.len()) {
        (Some((only, _)), 0) => (*only).to_owned(),
        _ => {
            let each = outcome.reason_labels.iter();
            each.map(|(reason, count)| format!("{reason} {count}")).collect::<Vec<_>>().join(", ")
        }
    }
}
