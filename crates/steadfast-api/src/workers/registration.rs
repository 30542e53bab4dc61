//! Registration of workers that claim over HTTP.
//!
//! Workers of this project report themselves. For a worker that claims over HTTP, its claims are its
//! heartbeat, and the report is written here.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use steadfast_store::{Store, WorkerReport};
use tokio::runtime::Handle;

use crate::claims::NewClaim;

/// How often a worker is reported.
const REPORT_INTERVAL: Duration = Duration::from_secs(15);
/// The most workers that are reported.
const MAX_WORKERS: usize = 1000;
/// The most queues in one report.
const MAX_QUEUES: usize = 100;

/// The workers that claimed over HTTP lately, with the time of their last report.
#[derive(Debug, Default)]
pub(crate) struct HttpWorkers(Mutex<HashMap<String, Instant>>);

impl HttpWorkers {
    /// Reports the worker of a claim. The report is written in the background; the claim does not
    /// wait for it.
    pub(crate) fn register(&self, store: &Store, claim: &NewClaim) {
        let Ok(runtime) = Handle::try_current() else {
            return;
        };
        if !self.is_report_due(&claim.worker) {
            return;
        }
        let queues = claim.queues.as_ref();
        let report = WorkerReport {
            name: claim.worker.clone(),
            instance: None,
            seen_at: None,
            queues: queues.map(|queues| queues.iter().take(MAX_QUEUES).cloned().collect()),
            concurrency: None,
            running: None,
        };
        let store = store.clone();
        runtime.spawn(async move {
            if let Err(error) = store.report_worker(&report).await {
                tracing::debug!(target: "steadfast", %error, "cannot write the report of a worker");
            }
        });
    }

    fn is_report_due(&self, worker: &str) -> bool {
        let mut reported = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if reported.get(worker).is_some_and(|at| at.elapsed() < REPORT_INTERVAL) {
            return false;
        }
        if reported.len() >= MAX_WORKERS {
            reported.retain(|_, at| at.elapsed() < REPORT_INTERVAL);
        }
        if reported.len() >= MAX_WORKERS {
            return false;
        }
        reported.insert(worker.to_owned(), Instant::now());
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// K4: a client that uses a new name for each claim does not exceed the limit.
    #[test]
    fn number_of_reported_workers_is_bounded() {
        let workers = HttpWorkers::default();
        let due = (0..3 * MAX_WORKERS).filter(|number| workers.is_report_due(&number.to_string()));
        assert_eq!(due.count(), MAX_WORKERS);
        assert!(!workers.is_report_due("0"), "it was reported a moment ago");
    }
}
