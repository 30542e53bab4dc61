//! Section 6 of the specification: policies found by name, in a file that changes while
//! everything runs.

#![cfg(feature = "file")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test"
)]

mod changes;
mod concurrent_edits;
mod guards;
mod run;
mod shutdown;
mod watch;

use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use steadfast::registry::{Change, Loader, Outcome, Registry};
use tempfile::TempDir;

/// What F4 promises; the wait for a change never takes nearly as long.
const PROMISED: Duration = Duration::from_secs(5);

/// A file in a folder of its own, and its registry.
struct Scene {
    registry: Registry,
    path: PathBuf,
    folder: TempDir,
    changes: Receiver<Change>,
}

impl Scene {
    fn new(text: &str) -> Self {
        Self::of(text, true)
    }

    /// Without a watch: the file is read again when the test says so.
    fn unwatched(text: &str) -> Self {
        Self::of(text, false)
    }

    fn of(text: &str, watched: bool) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("steadfast.yaml");
        std::fs::write(&path, text).unwrap();
        Self::at(folder, path, watched)
    }

    fn at(folder: TempDir, path: PathBuf, watched: bool) -> Self {
        let loader = Loader::file(&path);
        let loader = if watched { loader } else { loader.unwatched() };
        let (sender, changes) = channel();
        let sender = Mutex::new(sender);
        let send = move |change: &Change| {
            let _ = sender.lock().unwrap().send(change.clone());
        };
        let none: [(&str, &str); 0] = [];
        let registry = loader.variables(none).on_change(send).load().unwrap();
        Self { registry, path, folder, changes }
    }

    fn write(&self, text: &str) {
        std::fs::write(&self.path, text).unwrap();
    }

    /// The next change, within what F4 promises.
    fn change(&self) -> Change {
        self.changes.recv_timeout(PROMISED).unwrap_or_else(|_| panic!("no change was noticed"))
    }

    fn attempts(&self) -> u32 {
        self.registry.policy("p").max_attempts()
    }
}

/// A file whose policy `p` makes this many attempts.
fn attempts(attempts: u32) -> String {
    format!("version: \"1.1.0\"\npolicies:\n  p: {{max_attempts: {attempts}, base_delay: 0}}\n")
}

fn was_applied(change: &Change) -> bool {
    matches!(change.outcome, Outcome::Applied { .. })
}
