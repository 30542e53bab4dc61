//! Whether the policies in force are those of the file, and what goes on under them.

use jiff::Timestamp;
use serde::Serialize;

use super::Registry;
use super::watch::Watch;
use crate::file::Problems;
use crate::observe::serde_format;

/// How a registry is.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Health {
    /// Whether the policies in force are those of the file as it is now.
    pub current: bool,
    /// The file, if there is one.
    pub file: Option<String>,
    /// The number of the version in force.
    pub version: u64,
    /// Since when it is in force.
    #[serde(serialize_with = "serde_format::time::serialize")]
    pub loaded_at: Timestamp,
    /// How many policies the file has.
    pub policies: usize,
    /// What is wrong with the file as it is now.
    pub problems: Option<Problems>,
    /// Whether changes of the file are noticed.
    pub watching: bool,
    /// How many sessions are under way.
    pub sessions: usize,
    /// Whether a shutdown has begun.
    pub stopping: bool,
}

impl Registry {
    /// How it is.
    #[must_use]
    pub fn health(&self) -> Health {
        let status = self.0.reloader.status().clone();
        Health {
            current: status.refused.is_none(),
            file: self.0.reloader.path().map(|path| path.display().to_string()),
            version: status.version,
            loaded_at: status.loaded_at,
            policies: self.0.versions.current().iter().count(),
            problems: status.refused,
            watching: self.0.watch.as_ref().is_some_and(Watch::is_running),
            sessions: self.0.sessions.count(),
            stopping: self.0.stopping.has_begun(),
        }
    }
}
