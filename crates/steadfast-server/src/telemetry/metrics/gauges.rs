//! How the store and the guards stand, as families of series.
//!
//! They are told as they were seen, and not kept by a recorder: a queue that is gone is gone from
//! here, too. Prometheus is told in [text](super::text), a collector over OTLP.

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::Timestamp;
use steadfast::drive::{Environment, Real};
use steadfast::guard;
use steadfast::guard::breaker::BreakerState;
use steadfast_store::{QueueInfo, Stats};
use tokio::time::Instant;

use super::label_limit::Known;
use crate::app::App;
use crate::cache::query_cache::LastSeen;
use crate::cache::snapshots::{DueFirst, Standing};

/// How long whoever wants figures waits for the store.
const PATIENCE: Duration = Duration::from_secs(2);

/// What the figures are drawn from.
pub(crate) struct Seen {
    at: Instant,
    is_up: bool,
    has_refused_policies: bool,
    told: LastSeen<Standing>,
    /// Told even where it takes too long to count.
    due: LastSeen<DueFirst>,
}

impl Seen {
    /// Looks, or takes what others have just seen.
    pub(crate) async fn of(app: &App) -> Self {
        let (ready, told, due) = tokio::join!(
            app.readiness().of(app.store()),
            app.stands_within(PATIENCE),
            app.due_within(PATIENCE)
        );
        let has_refused_policies = app.policy_problems().is_some();
        Self { at: Instant::now(), is_up: ready.is_ok(), has_refused_policies, told, due }
    }

    fn standing(&self) -> Option<&Standing> {
        self.told.seen.as_deref()
    }

    fn queues(&self) -> &[QueueInfo] {
        self.standing().map_or(&[], |standing| &standing.counts.queues)
    }
}

/// Figures of one name.
#[derive(Clone, Copy)]
pub(crate) struct Family {
    pub(crate) name: &'static str,
    pub(crate) help: &'static str,
    pub(crate) series: fn(&Seen) -> Vec<Series>,
}

/// One of them: its labels, and how it stands.
pub(crate) struct Series {
    pub(crate) labels: Vec<(&'static str, String)>,
    pub(crate) value: f64,
}

/// Everything that can be seen.
pub(crate) const FAMILIES: [Family; 11] = [
    Family {
        name: "steadfast_store_up",
        help: "Whether the store answers",
        series: |seen| vec![plain(f64::from(seen.is_up))],
    },
    Family {
        name: "steadfast_policy_file_ok",
        help: "Whether the policies of this instance are those of its file; 0 while that is refused",
        series: |seen| vec![plain(f64::from(!seen.has_refused_policies))],
    },
    Family {
        name: "steadfast_store_figures_age_seconds",
        help: "How old the figures of the store are",
        series: |seen| {
            let age = seen.told.age + seen.at.elapsed();
            seen.standing().map(|_| plain(age.as_secs_f64())).into_iter().collect()
        },
    },
    Family {
        name: "steadfast_tasks",
        help: "Tasks in the store, by status",
        series: |seen| seen.standing().map_or_else(Vec::new, by_status),
    },
    Family {
        name: "steadfast_tasks_due",
        help: "Scheduled tasks that are due within this time",
        series: |seen| seen.standing().map_or_else(Vec::new, due),
    },
    Family {
        name: "steadfast_oldest_due_age_seconds",
        help: "For how long the longest-waiting of the tasks that go next has been due, in queues that are not paused; 0 if none is",
        series: |seen| seen.due.seen.as_deref().map(oldest_due).into_iter().collect(),
    },
    Family {
        name: "steadfast_queue_tasks",
        help: "Tasks that wait in a queue, by status",
        series: |seen| queue_tasks(seen.queues()),
    },
    Family {
        name: "steadfast_queue_paused",
        help: "Whether nothing is taken from a queue",
        series: |seen| queues_paused(seen.queues()),
    },
    Family {
        name: "steadfast_workers",
        help: "Workers that are there, and those that went silent",
        series: |seen| seen.standing().map_or_else(Vec::new, workers),
    },
    Family {
        name: "steadfast_breakers",
        help: "Instances whose breaker of a policy stands so",
        series: |seen| seen.standing().map_or_else(Vec::new, breakers),
    },
    Family {
        name: "steadfast_budget_balance",
        help: "Retries that a policy's budget allows now, in this instance",
        series: |_| budgets(),
    },
];

fn plain(value: f64) -> Series {
    Series { labels: Vec::new(), value }
}

fn by_status(Standing { counts, .. }: &Standing) -> Vec<Series> {
    let Stats { pending, scheduled, running, completed, failed, cancelled, .. } = counts.stats;
    let counts = [
        ("pending", pending),
        ("scheduled", scheduled),
        ("running", running),
        ("completed", completed),
        ("failed", failed),
        ("cancelled", cancelled),
    ];
    counts.map(|(status, tasks)| labelled([("status", status)], tasks)).into()
}

fn due(Standing { counts, .. }: &Standing) -> Vec<Series> {
    let stats = &counts.stats;
    let counts = [("1h", stats.due_in_an_hour), ("24h", stats.due_in_24_hours)];
    counts.map(|(within, tasks)| labelled([("within", within)], tasks)).into()
}

fn oldest_due(DueFirst { now, due }: &DueFirst) -> Series {
    plain(due.due_since.map_or(0.0, |since| seconds(since, *now)))
}

fn queue_tasks(queues: &[QueueInfo]) -> Vec<Series> {
    let statuses = |queue: &QueueInfo| [("pending", queue.pending), ("scheduled", queue.scheduled)];
    let counted = queues.iter().flat_map(|queue| {
        statuses(queue).map(|(status, tasks)| ((queue.name.as_str(), status), tasks))
    });
    let sums = summed(counted);
    sums.into_iter()
        .map(|((queue, status), tasks)| labelled([("queue", queue), ("status", status)], tasks))
        .collect()
}

fn queues_paused(queues: &[QueueInfo]) -> Vec<Series> {
    let counted = queues.iter().map(|queue| ((queue.name.as_str(), ""), u64::from(queue.paused)));
    let sums = summed(counted);
    sums.into_iter().map(|((queue, _), paused)| labelled([("queue", queue)], paused)).collect()
}

fn workers(Standing { workers, .. }: &Standing) -> Vec<Series> {
    let silent = workers.iter().filter(|worker| worker.silent).count();
    let counts = [("heard", workers.len() - silent), ("silent", silent)];
    counts.map(|(state, count)| labelled([("state", state)], count as u64)).into()
}

fn breakers(standing: &Standing) -> Vec<Series> {
    let instances = standing.breakers.iter().flat_map(|breaker| &breaker.instances);
    let counted = instances.flat_map(|breaker| {
        BreakerState::ALL.map(|state| {
            ((breaker.policy.as_str(), state.as_str()), u64::from(state == breaker.state))
        })
    });
    let sums = summed(counted);
    sums.into_iter()
        .map(|((policy, state), count)| labelled([("policy", policy), ("state", state)], count))
        .collect()
}

fn budgets() -> Vec<Series> {
    let budgets = guard::budgets();
    let balances =
        budgets.iter().map(|named| ((named.name.as_str(), ""), named.budget.balance(Real.now())));
    let sums = summed(balances);
    sums.into_iter().map(|((policy, _), balance)| labelled([("policy", policy)], balance)).collect()
}

/// Sums by a name of a user's and what else tells series apart. Those beyond the bound are one
/// together.
fn summed<'n>(
    counted: impl Iterator<Item = ((&'n str, &'static str), u64)>,
) -> BTreeMap<(&'n str, &'static str), u64> {
    let known = Known::default();
    let mut sums = BTreeMap::new();
    for ((name, other), count) in counted {
        let sum: &mut u64 = sums.entry((known.bounded(name), other)).or_default();
        *sum = sum.saturating_add(count);
    }
    sums
}

fn labelled<const N: usize>(labels: [(&'static str, &str); N], count: u64) -> Series {
    let labels = labels.map(|(name, value)| (name, value.to_owned())).into();
    // Exact up to 2^53, which is how far those who are told can count.
    Series { labels, value: count as f64 }
}

/// How long ago; nothing if a clock was set back.
fn seconds(then: Timestamp, now: Timestamp) -> f64 {
    now.duration_since(then).as_secs_f64().max(0.0)
}
