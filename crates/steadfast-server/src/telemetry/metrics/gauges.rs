//! Gauges of the store and the guards.
//!
//! They are rendered from a snapshot and not kept by a recorder, so a deleted queue disappears. Prometheus
//! gets them as text, a collector over OTLP.

use std::collections::BTreeMap;
use std::time::Duration;

use steadfast::drive::{Environment, Real};
use steadfast::guard;
use steadfast::guard::breaker::BreakerState;
use steadfast_store::QueueInfo;
use tokio::time::Instant;

use super::label_limit::LabelValues;
use crate::app::App;
use crate::cache::{Cached, OldestDue, StoreSnapshot};

const MAX_STORE_WAIT: Duration = Duration::from_secs(2);

pub(crate) struct GaugeSnapshot {
    at: Instant,
    is_up: bool,
    has_invalid_policy_file: bool,
    store: Cached<StoreSnapshot>,
    /// Available even when counting takes too long.
    oldest_due: Cached<OldestDue>,
}

impl GaugeSnapshot {
    pub(crate) async fn take(app: &App) -> Self {
        let (ready, store, oldest_due) = tokio::join!(
            app.readiness.check(&app.store),
            app.snapshots.full_within(MAX_STORE_WAIT),
            app.snapshots.oldest_due_within(MAX_STORE_WAIT)
        );
        let has_invalid_policy_file = app.policy_problems().is_some();
        Self {
            at: Instant::now(),
            is_up: ready.is_ok(),
            has_invalid_policy_file,
            store,
            oldest_due,
        }
    }

    fn store(&self) -> Option<&StoreSnapshot> {
        self.store.value.as_deref()
    }

    fn queues(&self) -> &[QueueInfo] {
        self.store().map_or(&[], |store| &store.counts.queues)
    }
}

#[derive(Clone, Copy)]
pub(crate) struct Gauge {
    pub(crate) name: &'static str,
    pub(crate) help: &'static str,
    pub(crate) series: fn(&GaugeSnapshot) -> Vec<Series>,
}

pub(crate) struct Series {
    pub(crate) labels: Vec<(&'static str, String)>,
    pub(crate) value: f64,
}

pub(crate) const GAUGES: [Gauge; 11] = [
    Gauge {
        name: "steadfast_store_up",
        help: "Whether the store responds",
        series: |snapshot| vec![plain(f64::from(snapshot.is_up))],
    },
    Gauge {
        name: "steadfast_policy_file_ok",
        help: "Whether the policy file of this instance is valid and active",
        series: |snapshot| vec![plain(f64::from(!snapshot.has_invalid_policy_file))],
    },
    Gauge {
        name: "steadfast_store_figures_age_seconds",
        help: "Age of the store's gauges",
        series: |snapshot| {
            let age = snapshot.store.age + snapshot.at.elapsed();
            snapshot.store().map(|_| plain(age.as_secs_f64())).into_iter().collect()
        },
    },
    Gauge {
        name: "steadfast_tasks",
        help: "Tasks in the store by status",
        series: |snapshot| snapshot.store().map_or_else(Vec::new, by_status),
    },
    Gauge {
        name: "steadfast_tasks_due",
        help: "Scheduled tasks due within this time",
        series: |snapshot| snapshot.store().map_or_else(Vec::new, due),
    },
    Gauge {
        name: "steadfast_oldest_due_age_seconds",
        help: "Age of the oldest due task in queues that are not paused; 0 if none is due",
        series: |snapshot| {
            snapshot.oldest_due.value.as_deref().map(oldest_due).into_iter().collect()
        },
    },
    Gauge {
        name: "steadfast_queue_tasks",
        help: "Waiting tasks by queue and status",
        series: |snapshot| queue_tasks(snapshot.queues()),
    },
    Gauge {
        name: "steadfast_queue_paused",
        help: "Whether a queue is paused",
        series: |snapshot| queues_paused(snapshot.queues()),
    },
    Gauge {
        name: "steadfast_workers",
        help: "Registered workers by liveness",
        series: |snapshot| snapshot.store().map_or_else(Vec::new, workers),
    },
    Gauge {
        name: "steadfast_breakers",
        help: "Instances by policy and breaker state",
        series: |snapshot| snapshot.store().map_or_else(Vec::new, breakers),
    },
    Gauge {
        name: "steadfast_budget_balance",
        help: "Retries currently allowed by the budget of a policy in this instance",
        series: |_| budgets(),
    },
];

fn plain(value: f64) -> Series {
    Series { labels: Vec::new(), value }
}

fn by_status(snapshot: &StoreSnapshot) -> Vec<Series> {
    snapshot.by_status().map(|(status, tasks)| labelled([("status", status.name())], tasks)).into()
}

fn due(StoreSnapshot { counts, .. }: &StoreSnapshot) -> Vec<Series> {
    let stats = &counts.stats;
    let counts = [("1h", stats.due_in_an_hour), ("24h", stats.due_in_24_hours)];
    counts.map(|(within, tasks)| labelled([("within", within)], tasks)).into()
}

fn oldest_due(OldestDue { now, due }: &OldestDue) -> Series {
    // Zero if a clock was set back.
    let age = |since| now.duration_since(since).as_secs_f64().max(0.0);
    plain(due.due_since.map_or(0.0, age))
}

fn queue_tasks(queues: &[QueueInfo]) -> Vec<Series> {
    let counted = queues.iter().flat_map(|queue| {
        let counts = [("pending", queue.pending), ("scheduled", queue.scheduled)];
        counts.map(|(status, tasks)| ([queue.name.as_str(), status], tasks))
    });
    summed(["queue", "status"], counted)
}

fn queues_paused(queues: &[QueueInfo]) -> Vec<Series> {
    let paused = queues.iter().map(|queue| ([queue.name.as_str()], u64::from(queue.paused)));
    summed(["queue"], paused)
}

fn workers(StoreSnapshot { workers, .. }: &StoreSnapshot) -> Vec<Series> {
    let silent = workers.iter().filter(|worker| worker.silent).count();
    let counts = [("heard", workers.len() - silent), ("silent", silent)];
    counts.map(|(state, count)| labelled([("state", state)], count as u64)).into()
}

fn breakers(snapshot: &StoreSnapshot) -> Vec<Series> {
    let instances = snapshot.breakers.iter().flat_map(|breaker| &breaker.instances);
    let counted = instances.flat_map(|breaker| {
        BreakerState::ALL.iter().map(|&state| {
            ([breaker.policy.as_str(), state.as_str()], u64::from(state == breaker.state))
        })
    });
    summed(["policy", "state"], counted)
}

fn budgets() -> Vec<Series> {
    let budgets = guard::budgets();
    let balance = |named: &guard::NamedBudget| named.budget.balance(Real.now());
    summed(["policy"], budgets.iter().map(|named| ([named.name.as_str()], balance(named))))
}

/// Sums by labels, the first of which has user-defined values: those over the limit become `other`.
fn summed<'v, const N: usize>(
    names: [&'static str; N],
    counted: impl Iterator<Item = ([&'v str; N], u64)>,
) -> Vec<Series> {
    let admitted = LabelValues::default();
    let mut sums = BTreeMap::new();
    for (mut values, count) in counted {
        if let Some(name) = values.first_mut() {
            *name = admitted.limited(name);
        }
        let sum: &mut u64 = sums.entry(values).or_default();
        *sum = sum.saturating_add(count);
    }
    sums.into_iter().map(|(values, count)| labelled(names.into_iter().zip(values), count)).collect()
}

fn labelled<'v>(labels: impl IntoIterator<Item = (&'static str, &'v str)>, count: u64) -> Series {
    let labels = labels.into_iter().map(|(name, value)| (name, value.to_owned())).collect();
    // Exact up to 2^53.
    Series { labels, value: count as f64 }
}
