//! Reading the file again: validated before it is swapped in whole, or refused (F4).

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;

use super::change::{Change, Outcome, between};
use super::shutdown::Stopping;
use super::versions::Versions;
use super::watch::Watch;
use super::{Inner, Registry};
use crate::file::{Format, Overlay, Policies, Problem, Problems, Source};
use crate::observe::Sessions;

/// What the program has to say of a version before it is in force.
pub(super) type Check = Box<dyn Fn(&Policies) -> Result<(), Problems> + Send + Sync>;

/// Told of each change.
pub(super) type Listener = Box<dyn Fn(&Change) + Send + Sync>;

/// How many changes are remembered.
const REMEMBERED: usize = 100;

/// The file, and what is known of it.
pub(super) struct Reloader {
    file: Option<(PathBuf, Format)>,
    overlay: Overlay,
    checks: Vec<Check>,
    listeners: Vec<Listener>,
    /// Held by whoever reads the file.
    turn: Mutex<()>,
    /// Never held for long.
    status: Mutex<Status>,
}

#[derive(Clone)]
pub(super) struct Status {
    pub(super) version: u64,
    pub(super) loaded_at: Timestamp,
    /// What is wrong with the file as it is now.
    pub(super) refused: Option<Problems>,
    /// The file as it was last read, good or bad. Nothing, if it could not be read.
    read: Option<Source>,
    changes: VecDeque<Change>,
}

impl Registry {
    pub(super) fn without_file(overlay: &Overlay, checks: &[Check]) -> Result<Self, Problems> {
        let policies = checked(Policies::without_file(overlay)?, checks)?;
        let reloader = Reloader::new(None, overlay.clone(), Vec::new(), Vec::new(), None);
        Ok(Self(Arc::new(Inner::new(policies, reloader, None))))
    }

    pub(super) fn of_file(
        path: PathBuf,
        overlay: Overlay,
        watched: bool,
        checks: Vec<Check>,
        listeners: Vec<Listener>,
    ) -> Result<Self, Problems> {
        let format = Format::of(&path)?;
        // Whatever happens from here on is noticed.
        let watch = watched.then(|| Watch::new(&path));
        let source = read(&path)?;
        let policies = checked(Policies::layered(&source, format, &overlay)?, &checks)?;
        let file = Some((path, format));
        let reloader = Reloader::new(file, overlay, checks, listeners, Some(source));
        let registry = Self(Arc::new(Inner::new(policies, reloader, watch)));
        registry.start_watching();
        Ok(registry)
    }

    /// Reads the file again, now, as on a signal. Says what changed; nothing, if the file is
    /// as it was.
    ///
    /// # Errors
    /// All that is wrong with the file. The policies in force stay.
    pub fn reload(&self) -> Result<Option<Change>, Problems> {
        self.0.reload()
    }

    /// The changes so far, the last hundred of them, oldest first.
    #[must_use]
    pub fn changes(&self) -> Vec<Change> {
        self.0.reloader.status().changes.iter().cloned().collect()
    }
}

impl Inner {
    fn new(policies: Policies, reloader: Reloader, watch: Option<Watch>) -> Self {
        Self {
            versions: Versions::new(policies),
            sessions: Sessions::new(),
            stopping: Stopping::default(),
            reloader,
            watch,
        }
    }

    pub(super) fn reload(&self) -> Result<Option<Change>, Problems> {
        let Some((path, format)) = &self.reloader.file else {
            return Ok(None);
        };
        // One at a time, so that versions are in force in the order in which they were read.
        // Whoever asks how it is does not wait for that.
        let turn = self.reloader.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let source = match read(path) {
            Ok(source) => source,
            Err(problem) => return self.refuse(turn, None, problem.into()),
        };
        if let Some(known) = self.reloader.status().known(&source) {
            return known;
        }
        let read = Policies::layered(&source, *format, &self.reloader.overlay);
        let policies = match read.and_then(|read| checked(read, &self.reloader.checks)) {
            Ok(policies) => policies,
            Err(problems) => return self.refuse(turn, Some(source), problems),
        };
        let changes = between(&self.versions.current(), &policies);
        let mut status = self.reloader.status();
        self.versions.replace(policies);
        status.version += 1;
        status.loaded_at = Timestamp::now();
        status.refused = None;
        status.read = Some(source);
        Ok(Some(self.reloader.tell(turn, status, Outcome::Applied { changes })))
    }

    fn refuse(
        &self,
        turn: MutexGuard<'_, ()>,
        read: Option<Source>,
        problems: Problems,
    ) -> Result<Option<Change>, Problems> {
        let mut status = self.reloader.status();
        let known = status.read.is_none() && read.is_none() && status.refused.is_some();
        status.read = read;
        status.refused = Some(problems.clone());
        if !known {
            self.reloader.tell(turn, status, Outcome::Refused { problems: problems.clone() });
        }
        Err(problems)
    }
}

impl Status {
    /// What became of this text, if it is the one that was read last.
    fn known(&self, source: &Source) -> Option<Result<Option<Change>, Problems>> {
        let same = self.read.as_ref().is_some_and(|read| read.text() == source.text());
        same.then(|| self.refused.clone().map_or(Ok(None), Err))
    }
}

/// These policies, if every check lets them pass. One that panics does not, and the watch goes on.
fn checked(policies: Policies, checks: &[Check]) -> Result<Policies, Problems> {
    let mut problems = Vec::new();
    for check in checks {
        match catch_unwind(AssertUnwindSafe(|| check(&policies))) {
            Ok(Ok(())) => {}
            Ok(Err(found)) => problems.extend(found),
            Err(_) => problems.push(policies.problem("", "a check of the program panicked")),
        }
    }
    Problems::into_result(problems)?;
    Ok(policies)
}

/// Reads the file, if it is one: a pipe would have the reader wait for ever.
fn read(path: &Path) -> Result<Source, Problem> {
    match std::fs::metadata(path) {
        Ok(found) if !found.is_file() && !found.is_dir() => {
            Err(Problem::of_file(&path.display().to_string(), "it is not a regular file")
                .suggest("put a file in its place"))
        }
        _ => Source::read(path),
    }
}

impl Reloader {
    fn new(
        file: Option<(PathBuf, Format)>,
        overlay: Overlay,
        checks: Vec<Check>,
        listeners: Vec<Listener>,
        read: Option<Source>,
    ) -> Self {
        let status = Status {
            version: 1,
            loaded_at: Timestamp::now(),
            refused: None,
            read,
            changes: VecDeque::new(),
        };
        let (turn, status) = (Mutex::new(()), Mutex::new(status));
        Self { file, overlay, checks, listeners, turn, status }
    }

    pub(super) fn path(&self) -> Option<&PathBuf> {
        self.file.as_ref().map(|(path, _)| path)
    }

    /// Nothing that is done under the lock leaves it half changed.
    pub(super) fn status(&self) -> MutexGuard<'_, Status> {
        self.status.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Remembers a change, and tells everybody, when both locks are free again: they may ask,
    /// and they may reload.
    fn tell(
        &self,
        turn: MutexGuard<'_, ()>,
        mut status: MutexGuard<'_, Status>,
        outcome: Outcome,
    ) -> Change {
        let file = self.path().map(|path| path.display().to_string()).unwrap_or_default();
        let change = Change { at: Timestamp::now(), file, version: status.version, outcome };
        status.changes.push_back(change.clone());
        if status.changes.len() > REMEMBERED {
            status.changes.pop_front();
        }
        drop((status, turn));
        log(&change);
        for listener in &self.listeners {
            // One that panics keeps neither the others nor later changes from being told.
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
            tracing::info!(file, version, changes = changes.join(", "), "policies changed");
        }
        Outcome::Refused { problems } => {
            tracing::warn!(file, version, %problems, "changed policies refused, the old ones stay");
        }
    }
}

#[cfg(not(feature = "tracing"))]
fn log(_: &Change) {}
