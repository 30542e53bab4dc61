//! The health of a registry.

use jiff::Timestamp;
use serde::Serialize;

use super::Registry;
use super::file_watcher::FileWatcher;
use crate::file::Problems;
use crate::observe::serde_format;

/// The health of a registry.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Health {
    /// Whether the active policies are those of the current file.
    pub current: bool,
    /// The file, if there is one.
    pub file: Option<String>,
    /// The active version.
    pub version: u64,
    /// The time of its activation.
    #[serde(serialize_with = "serde_format::time::serialize")]
    pub loaded_at: Timestamp,
    /// The number of policies in the file.
    pub policies: usize,
    /// The problems of the current file, if it was rejected.
    pub problems: Option<Problems>,
    /// Whether the file is watched.
    pub watching: bool,
    /// The number of sessions in progress.
    pub sessions: usize,
    /// Whether a shutdown has started.
    pub stopping: bool,
}

impl Registry {
    /// The health of the registry.
    #[must_use]
    pub fn health(&self) -> Health {
        let status = self.0.reloader.status().clone();
        Health {
            current: status.problems.is_none(),
            file: self.0.reloader.path().map(|path| path.display().to_string()),
            version: status.version,
            loaded_at: status.loaded_at,
            policies: self.0.current.load().iter().count(),
            problems: status.problems,
            watching: self.0.watcher.as_ref().is_some_and(FileWatcher::is_running),
            sessions: self.0.sessions.count(),
            stopping: self.0.stopping.is_set(),
        }
    }
}
