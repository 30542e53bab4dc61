//! The chart of one or several plans.

use steadfast::Policy;
use steadfast_draw::{Axis, Chart};

use crate::commands::policy::plan::{Planned, Row};
use crate::commands::policy::summary::Summary;
use crate::output::time::people;
use crate::output::{counted, note};

/// What is to be drawn.
pub(super) struct Plotted<'p> {
    pub(super) policies: &'p [(Option<&'p str>, Policy)],
    pub(super) plans: &'p [Planned<'p>],
    pub(super) log: bool,
}

impl Plotted<'_> {
    pub(super) fn chart(&self) -> Chart {
        let delay = Axis::seconds("delay");
        let delay = if self.log { delay.logarithmic() } else { delay.from_zero() };
        let chart = self.titled().x(Axis::count("attempt")).y(delay);
        let alone = self.policies.len() == 1;
        self.policies.iter().zip(self.plans).fold(chart, |chart, ((name, _), plan)| {
            let name = name.filter(|_| !alone);
            drawn(chart, name.unwrap_or_default(), &retries(plan))
        })
    }

    /// One policy is told in words; several speak for themselves.
    fn titled(&self) -> Chart {
        let title = "Delay before each attempt";
        let [(name, policy)] = self.policies else {
            return Chart::new(title);
        };
        let summary = Summary::of(policy, false);
        let attempts = counted(summary.attempts() as usize, "attempt", "attempts");
        let (backoff, total) = (&summary.backoff, people(summary.total_delay.0));
        let title = name.map_or_else(|| title.to_owned(), |name| format!("{title} of {name}"));
        Chart::new(title).subtitle(format!("{backoff}; at most {attempts}, {total} of waiting"))
    }

    /// What the chart leaves out, and why it has no line where it has none.
    pub(super) fn note_what_is_missing(&self) {
        for ((name, policy), plan) in self.policies.iter().zip(self.plans) {
            let who = name.map(|name| format!("{name}: ")).unwrap_or_default();
            plan.what_is_missing().for_each(|what| note(&format!("{who}{what}")));
            if retries(plan).is_empty() {
                let why = if policy.is_enabled() { "max_attempts is 1" } else { "it is off" };
                note(&format!("{who}it never retries, as {why}"));
            }
        }
    }
}

/// The attempts that are waited for, and come to pass.
fn retries<'p>(plan: &'p Planned<'_>) -> Vec<&'p Row> {
    let end = plan.first_too_late().unwrap_or(u32::MAX);
    plan.attempts.iter().filter(|row| (2..end).contains(&row.attempt)).collect()
}

/// A line, and under it a band if there is jitter.
fn drawn(chart: Chart, name: &str, retries: &[&Row]) -> Chart {
    let (line, band) = match name {
        "" => ("without jitter".to_owned(), "with jitter".to_owned()),
        name => (name.to_owned(), format!("{name}, with jitter")),
    };
    let x = |row: &Row| f64::from(row.attempt);
    let chart = if retries.iter().any(|row| row.min != row.max) {
        let edges = retries.iter().map(|row| (x(row), row.min.as_f64(), row.max.as_f64()));
        chart.band(band, edges)
    } else {
        chart
    };
    chart.line(line, retries.iter().map(|row| (x(row), row.delay.as_f64())))
}
