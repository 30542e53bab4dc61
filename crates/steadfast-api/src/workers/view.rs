//! The list of workers (H2).
//!
//! A worker is known by its reports, also when it runs nothing, and by its leases, which are all there
//! is of a worker that never reports.

use std::collections::{BTreeMap, HashSet};

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use steadfast_store::{QueueBacklog, Store, StoreError, WorkerInfo, WorkerReport};

/// A worker without a report for this long, four times the usual interval, is silent.
const SILENT_AFTER: SignedDuration = SignedDuration::from_secs(60);

/// A worker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct WorkerView {
    /// The name of the worker.
    pub name: String,
    /// The process of the worker; `null` for a worker that claims over HTTP.
    pub instance: Option<String>,
    /// The queues of the worker; `null` for all queues.
    pub queues: Option<Vec<String>>,
    /// Maximum number of tasks that the worker runs at once, if it reports that.
    pub concurrency: Option<u32>,
    /// Number of tasks that the worker is running.
    pub running: u64,
    /// When the worker last reported; `null` if it is known by its leases alone.
    pub seen_at: Option<Timestamp>,
    /// When the first of its leases expires without a heartbeat; `null` if it has no lease.
    pub lease_until: Option<Timestamp>,
    /// Whether the worker has not reported for so long that it is probably lost.
    pub silent: bool,
}

/// The workers, and the backlog of each queue.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct WorkerStatus {
    /// The workers by name.
    pub workers: Vec<WorkerView>,
    /// The backlog of each queue, by name.
    pub backlogs: Vec<QueueBacklog>,
}

/// The leases of one worker.
#[derive(Clone, Copy)]
struct Leases {
    tasks: u64,
    until: Timestamp,
}

pub(crate) async fn read(store: &Store) -> Result<WorkerStatus, StoreError> {
    let reports = store.workers().await?;
    let steadfast_store::WorkerStatus { workers, backlogs, .. } = store.worker_status().await?;
    let leases =
        |worker: WorkerInfo| (worker.name, Leases { tasks: worker.tasks, until: worker.until });
    let leases = workers.into_iter().map(leases).collect();
    Ok(WorkerStatus { workers: views(reports, leases, store.now().await?), backlogs })
}

fn views(
    reports: Vec<WorkerReport>,
    leases: BTreeMap<String, Leases>,
    now: Timestamp,
) -> Vec<WorkerView> {
    let reported = |report| WorkerView::from_report(report, &leases, now);
    let mut views: Vec<_> = reports.into_iter().map(reported).collect();
    let has_reported: HashSet<String> = views.iter().map(|view| view.name.clone()).collect();
    let others = leases.into_iter().filter(|(name, _)| !has_reported.contains(name));
    views.extend(others.map(|(name, leases)| WorkerView::from_leases(name, leases, now)));
    views.sort_by(|one, other| (&one.name, &one.instance).cmp(&(&other.name, &other.instance)));
    views
}

impl WorkerView {
    fn from_report(
        report: WorkerReport,
        leases: &BTreeMap<String, Leases>,
        now: Timestamp,
    ) -> Self {
        let leases = leases.get(&report.name).copied();
        let is_old = report.seen_at.is_none_or(|at| now.duration_since(at) >= SILENT_AFTER);
        // A worker over HTTP need not claim while it runs tasks: it sends heartbeats instead.
        let has_lease =
            report.instance.is_none() && leases.is_some_and(|leases| leases.until > now);
        let tasks = leases.map_or(0, |leases| leases.tasks);
        Self {
            name: report.name,
            instance: report.instance,
            queues: report.queues,
            concurrency: report.concurrency,
            running: report.running.map_or(tasks, u64::from),
            seen_at: report.seen_at,
            lease_until: leases.map(|leases| leases.until),
            silent: is_old && !has_lease,
        }
    }

    fn from_leases(name: String, leases: Leases, now: Timestamp) -> Self {
        Self {
            name,
            instance: None,
            queues: None,
            concurrency: None,
            running: leases.tasks,
            seen_at: None,
            lease_until: Some(leases.until),
            silent: leases.until <= now,
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
        let leases = lease_ends_in.map(|seconds| Leases { tasks: 2, until: until(seconds) });
        let leases = leases.map(|leases| ("w1".to_owned(), leases)).into_iter().collect();
        let workers = views(report.into_iter().collect(), leases, now());
        assert_eq!(workers.len(), 1);
        workers[0].silent
    }

    /// H2: a worker without a report for a minute is silent, whatever leases it has.
    #[test]
    fn worker_without_reports_is_silent() {
        assert!(!is_silent(Some(report(Some("host"), 59)), None));
        assert!(is_silent(Some(report(Some("host"), 60)), None));
        assert!(is_silent(Some(report(Some("host"), 60)), Some(500)));
    }

    /// H2, D19: a worker over HTTP with a live lease is not silent.
    #[test]
    fn http_worker_with_live_lease_is_not_silent() {
        assert!(is_silent(Some(report(None, 300)), None));
        assert!(!is_silent(Some(report(None, 300)), Some(1)));
        assert!(is_silent(Some(report(None, 300)), Some(-1)));
    }

    /// H2: a worker that is known by its leases alone is silent once they expire.
    #[test]
    fn worker_with_expired_lease_is_silent() {
        assert!(!is_silent(None, Some(1)));
        assert!(is_silent(None, Some(0)));
    }
}
