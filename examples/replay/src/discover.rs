//! Finds runs: files `CATEGORY/NAME.json` under one directory.
//!
//! A file is not read here, only named: the name is the task's idempotency key, so a run that is
//! found again, by the next look or by the next daemon, is the same run. Write a recording under
//! another ending and rename it when it is whole.

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

/// The kind of task that a run is.
pub const KIND: &str = "replay";

/// How many are submitted together: nobody else can write meanwhile.
const AT_ONCE: usize = 1000;

/// A run that was found.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Run {
    /// When its recording was written. Comes first, for the oldest is submitted first.
    written: SystemTime,
    /// `CATEGORY/NAME`.
    name: String,
    category: String,
}

/// Looks into a directory and submits what is new there.
#[derive(Debug)]
pub struct Discovery {
    directory: PathBuf,
    policy: Arc<Policy>,
    /// Spares the store a question about every file at every look. It may forget.
    known: HashSet<String>,
}

impl Discovery {
    /// Of this directory; its runs are tried again as the policy says.
    #[must_use]
    pub fn new(directory: PathBuf, policy: Arc<Policy>) -> Self {
        Self { directory, policy, known: HashSet::new() }
    }

    /// Submits what is new, the oldest first.
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

    /// One that a store cannot keep is known from then on, and nobody else waits for it.
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
            // A category is a part of the service: if it asks one run to wait, it means all.
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

/// The run that a file is, if it is one. One that went away meanwhile is none.
fn run(category: &str, file: &DirEntry) -> Option<Run> {
    let name = file.file_name().into_string().ok()?;
    let name = format!("{category}/{}", name.strip_suffix(".json")?);
    let written = file.metadata().ok()?.modified().ok()?;
    Some(Run { written, name, category: category.to_owned() })
}
