//! How the store and the guards stand, in the text format of Prometheus.
//!
//! They are written as they were seen, and not kept by a recorder: a queue that is gone is gone
//! from here, too.

use std::collections::BTreeMap;
use std::fmt::{Display, Write};

use jiff::Timestamp;
use metrics_exporter_prometheus::formatting::{
    sanitize_label_value, write_help_line, write_type_line,
};
use steadfast::drive::{Environment, Real};
use steadfast::guard;
use steadfast::guard::breaker::BreakerState;
use steadfast_store::{BreakerReport, QueueInfo, Stats};

use super::bounded::Known;
use crate::kept::Told;
use crate::standing::Standing;

const STATES: [BreakerState; 4] =
    [BreakerState::Closed, BreakerState::Open, BreakerState::HalfOpen, BreakerState::Isolated];

/// Adds everything that was seen.
pub(super) fn write(text: &mut String, is_up: bool, told: &Told<Standing>) {
    let mut to = Gauges { text, policies: Known::default(), queues: Known::default() };
    to.one("steadfast_store_up", "Whether the store answers", u8::from(is_up));
    to.budgets();
    let Some(seen) = &told.seen else {
        return;
    };
    let age = "How old the figures of the store are";
    to.one("steadfast_store_figures_age_seconds", age, told.age.as_secs_f64());
    to.tasks(seen);
    to.queues(&seen.queues);
    to.breakers(seen.breakers.iter().flat_map(|breaker| &breaker.instances));
}

struct Gauges<'t> {
    text: &'t mut String,
    policies: Known,
    queues: Known,
}

impl Gauges<'_> {
    fn head(&mut self, name: &str, help: &str) {
        write_help_line(self.text, name, None, None, help);
        write_type_line(self.text, name, None, None, "gauge");
    }

    fn line(&mut self, name: &str, labels: &[(&'static str, &str)], value: impl Display) {
        let said =
            |(name, value): &(&str, &str)| format!("{name}=\"{}\"", sanitize_label_value(value));
        let labels = labels.iter().map(said).collect::<Vec<_>>().join(",");
        let labels = if labels.is_empty() { labels } else { format!("{{{labels}}}") };
        // A text takes whatever is written to it.
        let _ = writeln!(self.text, "{name}{labels} {value}");
    }

    fn one(&mut self, name: &str, help: &str, value: impl Display) {
        self.head(name, help);
        self.line(name, &[], value);
    }

    fn tasks(&mut self, Standing { now, stats, .. }: &Standing) {
        let Stats { pending, scheduled, running, completed, failed, cancelled, .. } = *stats;
        self.head("steadfast_tasks", "Tasks in the store, by status");
        for (status, tasks) in [
            ("pending", pending),
            ("scheduled", scheduled),
            ("running", running),
            ("completed", completed),
            ("failed", failed),
            ("cancelled", cancelled),
        ] {
            self.line("steadfast_tasks", &[("status", status)], tasks);
        }
        self.head("steadfast_tasks_due", "Scheduled tasks that are due within this time");
        self.line("steadfast_tasks_due", &[("within", "1h")], stats.due_in_an_hour);
        self.line("steadfast_tasks_due", &[("within", "24h")], stats.due_in_24_hours);
        let age = "How long ago the longest-waiting due task was submitted; 0 if none is due";
        let oldest = stats.oldest_pending.map_or(0.0, |oldest| seconds(oldest, *now));
        self.one("steadfast_oldest_due_age_seconds", age, oldest);
    }

    fn queues(&mut self, queues: &[QueueInfo]) {
        // Those beyond the bound are one together.
        let mut sums: BTreeMap<&str, (u64, u64, u64)> = BTreeMap::new();
        for queue in queues {
            let sum = sums.entry(self.queues.bounded(&queue.name)).or_default();
            sum.0 = sum.0.saturating_add(queue.pending);
            sum.1 = sum.1.saturating_add(queue.scheduled);
            sum.2 = sum.2.saturating_add(u64::from(queue.paused));
        }
        self.head("steadfast_queue_tasks", "Tasks that wait in a queue, by status");
        for (queue, (pending, scheduled, _)) in &sums {
            let labels = [("queue", *queue), ("status", "pending")];
            self.line("steadfast_queue_tasks", &labels, pending);
            let labels = [("queue", *queue), ("status", "scheduled")];
            self.line("steadfast_queue_tasks", &labels, scheduled);
        }
        self.head("steadfast_queue_paused", "Whether nothing is taken from a queue");
        for (queue, (_, _, paused)) in &sums {
            self.line("steadfast_queue_paused", &[("queue", queue)], paused);
        }
    }

    fn breakers<'r>(&mut self, breakers: impl Iterator<Item = &'r BreakerReport>) {
        let mut counts: BTreeMap<(&str, &str), u64> = BTreeMap::new();
        for breaker in breakers {
            let policy = self.policies.bounded(&breaker.policy);
            for state in STATES {
                let count = counts.entry((policy, state.as_str())).or_default();
                *count += u64::from(state == breaker.state);
            }
        }
        self.head("steadfast_breakers", "Instances whose breaker of a policy stands so");
        for ((policy, state), count) in counts {
            self.line("steadfast_breakers", &[("policy", policy), ("state", state)], count);
        }
    }

    fn budgets(&mut self) {
        let help = "Retries that a policy's budget allows now, in this instance";
        self.head("steadfast_budget_balance", help);
        let mut sums: BTreeMap<String, u64> = BTreeMap::new();
        for named in guard::budgets() {
            let balance = named.budget.balance(Real.now());
            let sum = sums.entry(self.policies.bounded(&named.name).to_owned()).or_default();
            *sum = sum.saturating_add(balance);
        }
        for (policy, balance) in sums {
            self.line("steadfast_budget_balance", &[("policy", &policy)], balance);
        }
    }
}

/// How long ago; nothing if a clock was set back.
fn seconds(then: Timestamp, now: Timestamp) -> f64 {
    now.duration_since(then).as_secs_f64().max(0.0)
}
