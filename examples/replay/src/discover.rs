//! The discovery of runs: files `CATEGORY/NAME.json` under one directory.
//!
//! The discovery does not read the files: the name is the task's idempotency key, so a run that is
//! found again, by the next search or by the next daemon, is the same run. Write a recording under
//! another extension and rename it when it is complete.

use std::collections::HashSet;
use std::fs::{self, DirEntry};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use steadfast::Policy;
use steadfast_store::{Store, StoreError, Task};
use tokio::task::spawn_blocking;
use tracing::{info, warn};

/// The kind of the tasks.
pub const KIND: &str = "replay";

/// How many runs are submitted in one transaction, which blocks other writers.
const AT_ONCE: usize = 1000;

/// A discovered run.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Run {
    /// When its recording was written. The first field, since the oldest is submitted first.
    written: SystemTime,
    /// `CATEGORY/NAME`.
    name: String,
    category: String,
}

/// Finds and submits new runs of a directory.
#[derive(Debug)]
pub struct Discovery {
    directory: PathBuf,
    policy: Arc<Policy>,
    /// Saves the store a query per file and search. It may be incomplete.
    known: HashSet<String>,
}

impl Discovery {
    /// A discovery in this directory; its runs are retried under the policy.
    #[must_use]
    pub fn new(directory: PathBuf, policy: Arc<Policy>) -> Self {
        Self { directory, policy, known: HashSet::new() }
    }

    /// Submits new runs, the oldest first.
    pub async fn look(&mut self, store: &Store) {
        let directory = self.directory.clone();
        let found = spawn_blocking(move || runs(&directory)).await;
        let found = match found.unwrap_or_else(|error| Err(io::Error::other(error))) {
            Ok(found) => found,
            Err(error) => return warn!(%error, "cannot look for runs in {:?}", self.directory),
        };
        let new: Vec<_> = found.into_iter().filter(|run| self.is_new(run)).collect();
        for runs in new.chunks(AT_ONCE) {
            if let Err(error) = self.submit(store, runs).await {
                return warn!(%error, "not submitted; the next look will");
            }
        }
    }

    /// A run that the store cannot hold is reported once and then ignored.
    fn is_new(&mut self, run: &Run) -> bool {
        if self.known.contains(&run.name) {
            return false;
        }
        let checked = self.task(run).check();
        if let Err(error) = &checked {
            warn!(run = run.name, %error, "passed over");
            self.known.insert(run.name.clone());
        }
        checked.is_ok()
    }

    async fn submit(&mut self, store: &Store, runs: &[Run]) -> Result<(), StoreError> {
        let tasks = runs.iter().map(|run| self.task(run)).collect();
        for (run, submitted) in runs.iter().zip(store.submit_all(tasks).await?) {
            if !submitted.existed {
                info!(run = run.name, "discovered");
            }
            self.known.insert(run.name.clone());
        }
        Ok(())
    }

    fn task(&self, run: &Run) -> Task {
        Task::new(KIND, &run.name)
            .key(&run.name)
            // Names the run in the log lines of its attempts.
            .correlation_id(&run.name)
            .category(&run.category)
            .under(Arc::clone(&self.policy))
            // A category is a part of the service: a rate limit applies to all of its runs.
            .hold_category()
    }
}

/// Every run in a directory, the oldest first.
fn runs(directory: &Path) -> io::Result<Vec<Run>> {
    let mut runs = Vec::new();
    for category in categories(directory)? {
        let files = fs::read_dir(directory.join(&category))?;
        runs.extend(files.filter_map(|file| run(&category, &file.ok()?)));
    }
    runs.sort();
    Ok(runs)
}

fn categories(directory: &Path) -> io::Result<Vec<String>> {
    let entries = fs::read_dir(directory)?.filter_map(Result::ok);
    let directories = entries.filter(|entry| entry.path().is_dir());
    Ok(directories.filter_map(|entry| entry.file_name().into_string().ok()).collect())
}

/// The run of a file, if it is a recording that still exists.
fn run(category: &str, file: &DirEntry) -> Option<Run> {
    let name = file.file_name().into_string().ok()?;
    let name = format!("{category}/{}", name.strip_suffix(".json")?);
    let written = file.metadata().ok()?.modified().ok()?;
    Some(Run { written, name, category: category.to_owned() })
}
