//! Registration of workers that claim over HTTP.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use steadfast_store::{Store, WorkerReport};
use tokio::runtime::Handle;

use crate::claims::NewClaim;

/// How often it is said of a worker over HTTP that it is there.
const SAY_AGAIN: Duration = Duration::from_secs(15);
/// Of so many workers over HTTP it is said, and of so many queues of each.
const MOST: usize = 1000;
const MOST_QUEUES: usize = 100;

/// The workers that came over HTTP lately, and when it was last said of each.
#[derive(Debug, Default)]
pub(crate) struct Callers(Mutex<HashMap<String, Instant>>);

impl Callers {
    /// Somebody claims, so it is there. That is written down beside the claim, which does not wait.
    pub(crate) fn heard(&self, store: &Store, wanted: &NewClaim) {
        let Ok(runtime) = Handle::try_current() else {
            return;
        };
        if !self.is_news(&wanted.worker) {
            return;
        }
        let queues = wanted.queues.as_ref();
        let report = WorkerReport {
            name: wanted.worker.clone(),
            instance: None,
            seen_at: None,
            queues: queues.map(|queues| queues.iter().take(MOST_QUEUES).cloned().collect()),
            concurrency: None,
            running: None,
        };
        let store = store.clone();
        runtime.spawn(async move {
            if let Err(error) = store.report_worker(&report).await {
                tracing::debug!(target: "steadfast", %error, "a worker's claim was not noted");
            }
        });
    }

    fn is_news(&self, worker: &str) -> bool {
        let mut said = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if said.get(worker).is_some_and(|at| at.elapsed() < SAY_AGAIN) {
            return false;
        }
        if said.len() >= MOST {
            said.retain(|_, at| at.elapsed() < SAY_AGAIN);
        }
        if said.len() >= MOST {
            return false;
        }
        said.insert(worker.to_owned(), Instant::now());
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// K4: a name for each claim, and what is said and remembered is bounded.
    #[test]
    fn of_so_many_workers_it_is_said() {
        let callers = Callers::default();
        let news = (0..3 * MOST).filter(|number| callers.is_news(&number.to_string()));
        assert_eq!(news.count(), MOST);
        assert!(!callers.is_news("0"), "it was said a moment ago");
    }
}
