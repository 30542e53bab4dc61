//! Reloading of the file: validated, then activated atomically or rejected (F4).

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;

use super::change::{Change, Outcome, diff};
use super::current::CurrentPolicies;
use super::file_watcher::{AfterChange, FileWatcher};
use super::shutdown::ShutdownFlag;
use super::{Inner, Loader, Registry};
use crate::file::{Format, Policies, Problem, Problems, Source};
use crate::observe::Sessions;

/// An application's check of a version before it becomes active.
pub(super) type Check = Box<dyn Fn(&Policies) -> Result<(), Problems> + Send + Sync>;

/// Called after each change.
pub(super) type Listener = Box<dyn Fn(&Change) + Send + Sync>;

/// The most changes in the history.
const MAX_CHANGES: usize = 100;

/// The file and the state of its reloading.
pub(super) struct Reloader {
    loader: Loader,
    /// Held while the file is read.
    reading: Mutex<()>,
    /// Held briefly.
    status: Mutex<Status>,
}

#[derive(Clone)]
pub(super) struct Status {
    pub(super) version: u64,
    pub(super) loaded_at: Timestamp,
    /// The problems of the current file, if it was rejected.
    pub(super) problems: Option<Problems>,
    /// The text that was read last, valid or not; `None` if it could not be read.
    source: Option<Source>,
    changes: VecDeque<Change>,
}

impl Registry {
    pub(super) fn build(loader: Loader) -> Result<Self, Problems> {
        loader.file.as_deref().map(Format::of).transpose()?;
        // Before the first read, so that no later change is missed.
        let watched = loader.file.iter().filter(|_| loader.watched);
        let watcher = watched.map(|path| FileWatcher::new(vec![path.clone()])).next();
        let source = loader.file.as_deref().map(read).transpose()?;
        let policies = loader.policies(source.as_ref())?;
        let status = Status {
            version: 1,
            loaded_at: Timestamp::now(),
            problems: None,
            source,
            changes: VecDeque::new(),
        };
        let (reading, status) = (Mutex::new(()), Mutex::new(status));
        let registry = Self(Arc::new(Inner {
            current: CurrentPolicies::new(policies),
            sessions: Sessions::new(),
            stopping: ShutdownFlag::default(),
            reloader: Reloader { loader, reading, status },
            watcher,
        }));
        registry.start_watching();
        Ok(registry)
    }

    /// Reads the file again now, such as on a signal. Returns the change, or `None` if the file is
    /// unchanged.
    ///
    /// # Errors
    /// All problems of the file. The active policies stay.
    pub fn reload(&self) -> Result<Option<Change>, Problems> {
        self.0.reload()
    }

    /// The last hundred changes, oldest first.
    #[must_use]
    pub fn changes(&self) -> Vec<Change> {
        self.0.reloader.status().changes.iter().cloned().collect()
    }
}

impl Registry {
    fn start_watching(&self) {
        if let Some(watcher) = &self.0.watcher {
            let registry = Arc::downgrade(&self.0);
            // Without a thread, `Health::watching` is false. The registry reports the problems.
            let _ = watcher.start("steadfast-watch", move || match registry.upgrade() {
                Some(registry) => {
                    let _ = registry.reload();
                    AfterChange::Continue
                }
                None => AfterChange::Stop,
            });
        }
    }
}

impl Inner {
    pub(super) fn reload(&self) -> Result<Option<Change>, Problems> {
        let Some(path) = self.reloader.path() else {
            return Ok(None);
        };
        // One at a time, so that versions become active in the order in which they were read.
        // `Health` does not wait for this lock.
        let reading = self.reloader.reading.lock().unwrap_or_else(PoisonError::into_inner);
        let source = match read(path) {
            Ok(source) => source,
            Err(problem) => return self.reject(reading, None, problem.into()),
        };
        if let Some(outcome) = self.reloader.status().last_outcome(&source) {
            return outcome;
        }
        let policies = match self.reloader.loader.policies(Some(&source)) {
            Ok(policies) => policies,
            Err(problems) => return self.reject(reading, Some(source), problems),
        };
        let changes = diff(&self.current.load(), &policies);
        let mut status = self.reloader.status();
        self.current.replace(policies);
        status.version += 1;
        status.loaded_at = Timestamp::now();
        status.problems = None;
        status.source = Some(source);
        Ok(Some(self.reloader.publish(reading, status, Outcome::Applied { changes })))
    }

    fn reject(
        &self,
        reading: MutexGuard<'_, ()>,
        source: Option<Source>,
        problems: Problems,
    ) -> Result<Option<Change>, Problems> {
        let mut status = self.reloader.status();
        let is_repeated = status.source.is_none() && source.is_none() && status.problems.is_some();
        status.source = source;
        status.problems = Some(problems.clone());
        if !is_repeated {
            self.reloader.publish(reading, status, Outcome::Refused { problems: problems.clone() });
        }
        Err(problems)
    }
}

impl Status {
    /// The outcome of this text, if it is the one that was read last.
    fn last_outcome(&self, source: &Source) -> Option<Result<Option<Change>, Problems>> {
        let same = self.source.as_ref().is_some_and(|last| last.text() == source.text());
        same.then(|| self.problems.clone().map_or(Ok(None), Err))
    }
}

impl Loader {
    /// The policies of a text, or the presets, if every check passes. A check that panics fails.
    fn policies(&self, source: Option<&Source>) -> Result<Policies, Problems> {
        let policies = match (source, &self.file) {
            (Some(source), Some(path)) => {
                Policies::layered(source, Format::of(path)?, &self.overlay)?
            }
            _ => Policies::without_file(&self.overlay)?,
        };
        let mut problems = Vec::new();
        for check in &self.checks {
            match catch_unwind(AssertUnwindSafe(|| check(&policies))) {
                Ok(Ok(())) => {}
                Ok(Err(found)) => problems.extend(found),
                Err(_) => {
                    problems.push(policies.problem("", "a check of the application panicked"))
                }
            }
        }
        Problems::into_result(problems)?;
        Ok(policies)
    }
}

/// Reads a regular file. A pipe would block forever.
fn read(path: &Path) -> Result<Source, Problem> {
    match std::fs::metadata(path) {
        Ok(found) if !found.is_file() && !found.is_dir() => {
            Err(Problem::of_file(&path.display().to_string(), "not a regular file")
                .suggest("replace it with a regular file"))
        }
        _ => Source::read(path),
    }
}

impl Reloader {
    pub(super) fn path(&self) -> Option<&PathBuf> {
        self.loader.file.as_ref()
    }

    /// A panic under the lock leaves the status consistent.
    pub(super) fn status(&self) -> MutexGuard<'_, Status> {
        self.status.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records a change, releases both locks, and calls the listeners, which may reload.
    fn publish(
        &self,
        reading: MutexGuard<'_, ()>,
        mut status: MutexGuard<'_, Status>,
        outcome: Outcome,
    ) -> Change {
        let file = self.path().map(|path| path.display().to_string()).unwrap_or_default();
        let change = Change { at: Timestamp::now(), file, version: status.version, outcome };
        status.changes.push_back(change.clone());
        if status.changes.len() > MAX_CHANGES {
            status.changes.pop_front();
        }
        drop((status, reading));
        log(&change);
        for listener in &self.loader.listeners {
            // A listener that panics does not affect the others.
            let _ = catch_unwind(AssertUnwindSafe(|| listener(&change)));
        }
        change
    }
}

#[cfg(feature = "tracing")]
fn log(change: &Change) {
    let Change { file, version, .. } = change;
    match &change.outcome {
        Outcome::Applied { changes } => {
            let changes: Vec<String> = changes.iter().map(ToString::to_string).collect();
            tracing::info!(file, version, changes = changes.join(", "), "policies reloaded");
        }
        Outcome::Refused { problems } => {
            tracing::warn!(file, version, %problems, "policy file rejected, the previous policies stay active");
        }
    }
}

#[cfg(not(feature = "tracing"))]
fn log(_: &Change) {}
