//! Workers: who is there, and how much each has to do (H2).
//!
//! Two things are known of a worker. What it holds is in its leases, and is all there is of one that
//! never speaks of itself. What it says of itself is there although it holds nothing. Workers of
//! this project say so themselves; for those that come over HTTP it is said here when they claim.

use std::collections::{BTreeMap, HashSet};

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use steadfast_store::{QueueBacklog, Store, StoreError, WorkerInfo, WorkerReport};

/// Who has said nothing for this long has gone silent: that is four times what is usual.
const SILENT: SignedDuration = SignedDuration::from_secs(60);

/// A worker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct WorkerView {
    /// What it calls itself.
    pub name: String,
    /// The process that it runs in; nothing for one that comes over HTTP.
    pub instance: Option<String>,
    /// The queues that it serves; all of them if there is none.
    pub queues: Option<Vec<String>>,
    /// How many tasks it runs at a time, if that is known.
    pub concurrency: Option<u32>,
    /// How many it runs.
    pub running: u64,
    /// When it was last heard of; nothing for one that is known by its leases alone.
    pub seen_at: Option<Timestamp>,
    /// When the first of its leases ends unless it is kept alive; nothing if it holds no task.
    pub lease_until: Option<Timestamp>,
    /// Whether it was not heard of for so long that it is probably gone.
    pub silent: bool,
}

/// Who works, and the lines that they take from.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct WorkerStatus {
    /// Every worker, by name.
    pub workers: Vec<WorkerView>,
    /// Every queue's line, by the queue's name.
    pub lines: Vec<QueueBacklog>,
}

/// What the leases of one name say.
#[derive(Clone, Copy)]
struct Held {
    tasks: u64,
    until: Timestamp,
}

pub(crate) async fn look(store: &Store) -> Result<WorkerStatus, StoreError> {
    let reports = store.workers().await?;
    let steadfast_store::WorkerStatus { workers, lines, .. } = store.worker_status().await?;
    let held =
        |worker: WorkerInfo| (worker.name, Held { tasks: worker.tasks, until: worker.until });
    let held = workers.into_iter().map(held).collect();
    Ok(WorkerStatus { workers: views(reports, held, store.now().await?), lines })
}

fn views(
    reports: Vec<WorkerReport>,
    held: BTreeMap<String, Held>,
    now: Timestamp,
) -> Vec<WorkerView> {
    let said = |report| WorkerView::said(report, &held, now);
    let mut views: Vec<_> = reports.into_iter().map(said).collect();
    let has_reported: HashSet<String> = views.iter().map(|view| view.name.clone()).collect();
    let others = held.into_iter().filter(|(name, _)| !has_reported.contains(name));
    views.extend(others.map(|(name, held)| WorkerView::holds(name, held, now)));
    views.sort_by(|one, other| (&one.name, &one.instance).cmp(&(&other.name, &other.instance)));
    views
}

impl WorkerView {
    /// One that said that it is there.
    fn said(report: WorkerReport, held: &BTreeMap<String, Held>, now: Timestamp) -> Self {
        let held = held.get(&report.name).copied();
        let is_old = report.seen_at.is_none_or(|at| now.duration_since(at) >= SILENT);
        // Who comes over HTTP need not claim while it works: it keeps its leases alive.
        let works = report.instance.is_none() && held.is_some_and(|held| held.until > now);
        let tasks = held.map_or(0, |held| held.tasks);
        Self {
            name: report.name,
            instance: report.instance,
            queues: report.queues,
            concurrency: report.concurrency,
            running: report.running.map_or(tasks, u64::from),
            seen_at: report.seen_at,
            lease_until: held.map(|held| held.until),
            silent: is_old && !works,
        }
    }

    /// One that is known by what it holds.
    fn holds(name: String, held: Held, now: Timestamp) -> Self {
        Self {
            name,
            instance: None,
            queues: None,
            concurrency: None,
            running: held.tasks,
            seen_at: None,
            lease_until: Some(held.until),
            silent: held.until <= now,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(instance: Option<&str>, seconds_ago: i64) -> WorkerReport {
        WorkerReport {
            name: "w1".to_owned(),
            instance: instance.map(str::to_owned),
            seen_at: Some(now() - SignedDuration::from_secs(seconds_ago)),
            queues: None,
            concurrency: None,
            running: None,
        }
    }

    fn now() -> Timestamp {
        "2026-01-29T12:00:00Z".parse().unwrap()
    }

    fn is_silent(report: Option<WorkerReport>, lease_ends_in: Option<i64>) -> bool {
        let until = |seconds| now() + SignedDuration::from_secs(seconds);
        let held = lease_ends_in.map(|in_so_long| Held { tasks: 2, until: until(in_so_long) });
        let held = held.map(|held| ("w1".to_owned(), held)).into_iter().collect();
        let workers = views(report.into_iter().collect(), held, now());
        assert_eq!(workers.len(), 1);
        workers[0].silent
    }

    /// H2: who says nothing for a minute is silent, whatever it holds.
    #[test]
    fn a_worker_that_says_nothing_is_silent() {
        assert!(!is_silent(Some(report(Some("host"), 59)), None));
        assert!(is_silent(Some(report(Some("host"), 60)), None));
        assert!(is_silent(Some(report(Some("host"), 60)), Some(500)));
    }

    /// H2, D19: a worker elsewhere that keeps its lease alive is at work.
    #[test]
    fn a_worker_elsewhere_is_not_silent_while_it_works() {
        assert!(is_silent(Some(report(None, 300)), None));
        assert!(!is_silent(Some(report(None, 300)), Some(1)));
        assert!(is_silent(Some(report(None, 300)), Some(-1)));
    }

    /// H2: who is known by its leases alone is silent when they are over.
    #[test]
    fn a_lease_that_is_over_is_a_silence() {
        assert!(!is_silent(None, Some(1)));
        assert!(is_silent(None, Some(0)));
    }
}
