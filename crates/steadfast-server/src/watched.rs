//! Files that change while the server runs: tokens, certificates.
//!
//! They are looked at, and not waited for: whatever replaces them, a rename, a link of Kubernetes
//! or a network's file system, is seen by looking, and they change seldom. A file that looks
//! different is left alone until it looks the same twice, so that no half of it is read.

use std::fs::Metadata;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use tokio::time::{MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;

/// How often they are looked at.
const EVERY: Duration = Duration::from_millis(500);

/// Some files, and what they looked like before they were read.
#[derive(Clone, Debug)]
pub(crate) struct Watched {
    files: Vec<PathBuf>,
    known: Look,
}

/// What files look like from outside.
type Look = Vec<Option<(Option<SystemTime>, u64, u64)>>;

impl Watched {
    /// Looks at files, which are to be read after this and not before.
    pub(crate) fn new(files: Vec<PathBuf>) -> Self {
        let known = look(&files);
        Self { files, known }
    }

    /// Tells of each change until the server stops.
    pub(crate) async fn each_change(mut self, stopping: &CancellationToken, tell: impl Fn()) {
        let mut last = None;
        let mut ticks = interval(EVERY);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                () = stopping.cancelled() => return,
                _ = ticks.tick() => {}
            }
            let now = look(&self.files);
            if now != self.known && last.as_ref() == Some(&now) {
                self.known.clone_from(&now);
                tell();
            }
            last = Some(now);
        }
    }
}

fn look(files: &[PathBuf]) -> Look {
    let metadata = files.iter().map(|file| std::fs::metadata(file).ok());
    metadata.map(|found| found.map(|it| (it.modified().ok(), it.len(), number(&it)))).collect()
}

/// Another file in the same place may have the same size and time.
#[cfg(unix)]
fn number(metadata: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(metadata)
}

#[cfg(not(unix))]
const fn number(_: &Metadata) -> u64 {
    0
}
