//! A polling file watcher.
//!
//! Files are polled: a rename, a Kubernetes symlink swap and a network file system are all noticed that
//! way, and the files change rarely. A changed file is loaded once it looks the same twice, so that a
//! half-written file is not read. A failed load is retried after a while, because its cause may disappear
//! without a visible change: a permission, or a second write within the same timestamp. File systems may
//! hang, so all file access runs on blocking threads.

use std::fs::Metadata;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use tokio::task::spawn_blocking;
use tokio::time::{Instant, MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;
use tracing::warn;

const POLL_INTERVAL: Duration = Duration::from_millis(500);
/// The delay before a failed load is retried.
const RETRY_DELAY: Duration = Duration::from_secs(5);

/// Watched files and their fingerprints at the last load.
#[derive(Clone, Debug)]
pub(crate) struct FileWatcher {
    files: Arc<[PathBuf]>,
    loaded: Fingerprints,
}

/// Modification time, size and inode of each file.
type Fingerprints = Vec<Option<(Option<SystemTime>, u64, u64)>>;

impl FileWatcher {
    /// A watcher of these files. Create it before reading them, so that no change is missed.
    pub(crate) fn new(files: Vec<PathBuf>) -> Self {
        let loaded = fingerprints(&files);
        Self { files: files.into(), loaded }
    }

    /// Calls `load` after each change, until the server stops. The same error is logged once.
    pub(crate) async fn on_change(
        mut self,
        stopping: &CancellationToken,
        load: impl Fn() -> Result<(), String> + Send + Sync + 'static,
    ) {
        let load = Arc::new(load);
        let mut last = None;
        let mut failure: Option<LoadFailure> = None;
        let mut ticks = interval(POLL_INTERVAL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let files = self.files.clone();
            let polling = async {
                ticks.tick().await;
                spawn_blocking(move || fingerprints(&files)).await
            };
            let now = match stopping.run_until_cancelled(polling).await {
                Some(Ok(now)) => now,
                Some(Err(_)) => continue,
                None => return,
            };
            let is_stable = last.as_ref() == Some(&now);
            let is_retry =
                failure.as_ref().is_some_and(|failure| failure.at.elapsed() >= RETRY_DELAY);
            if is_stable && (now != self.loaded || is_retry) {
                self.loaded.clone_from(&now);
                let load = load.clone();
                let loading = spawn_blocking(move || load());
                let Some(result) = stopping.run_until_cancelled(loading).await else { return };
                let error = result.unwrap_or_else(|panic| Err(panic.to_string())).err();
                failure = error.map(|error| LoadFailure::logged(error, failure.as_ref()));
            }
            last = Some(now);
        }
    }
}

/// A failed load.
struct LoadFailure {
    error: String,
    at: Instant,
}

impl LoadFailure {
    fn logged(error: String, previous: Option<&Self>) -> Self {
        if previous.is_none_or(|previous| previous.error != error) {
            warn!(target: "steadfast", error, "reload failed, the previous configuration stays active");
        }
        Self { error, at: Instant::now() }
    }
}

fn fingerprints(files: &[PathBuf]) -> Fingerprints {
    let metadata = files.iter().map(|file| std::fs::metadata(file).ok());
    metadata.map(|found| found.map(|it| (it.modified().ok(), it.len(), inode(&it)))).collect()
}

/// A replaced file may have the same size and time.
#[cfg(unix)]
fn inode(metadata: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(metadata)
}

#[cfg(not(unix))]
const fn inode(_: &Metadata) -> u64 {
    0
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::sync::mpsc;

    use tempfile::TempDir;

    use super::*;

    /// A file that changed after the watcher was created.
    fn changed() -> (TempDir, FileWatcher) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a");
        let watcher = FileWatcher::new(vec![file.clone()]);
        std::fs::write(&file, "new").unwrap();
        (folder, watcher)
    }

    /// K4: a failed load is retried although the file did not change.
    #[tokio::test(start_paused = true)]
    async fn failed_load_is_retried_without_change() {
        let (_folder, watcher) = changed();
        let (stopping, tries) = (CancellationToken::new(), Arc::new(AtomicU32::new(0)));
        let (stop, tried) = (stopping.clone(), tries.clone());
        let load = move || match tried.fetch_add(1, Ordering::Relaxed) {
            0 | 1 => Err("permission denied".to_owned()),
            _ => {
                stop.cancel();
                Ok(())
            }
        };
        watcher.on_change(&stopping, load).await;
        assert_eq!(tries.load(Ordering::Relaxed), 3);
    }

    /// K4: a slow file system does not block other tasks. Here the load completes only after another
    /// task has run.
    #[tokio::test]
    async fn slow_load_does_not_block_other_tasks() {
        let (_folder, watcher) = changed();
        let (start, started) = tokio::sync::oneshot::channel();
        let (release, released) = mpsc::channel();
        let both = Mutex::new((Some(start), released));
        let (stopping, stop) = (CancellationToken::new(), CancellationToken::new());
        let (loads, ended) = (Arc::new(AtomicU32::new(0)), stop.clone());
        let loaded = loads.clone();
        let load = move || {
            let mut both = both.lock().unwrap();
            both.0.take().unwrap().send(()).unwrap();
            let waited = both.1.recv_timeout(Duration::from_secs(5));
            loaded.store(u32::from(waited.is_ok()), Ordering::Relaxed);
            ended.cancel();
            Ok(())
        };
        let others = async {
            started.await.unwrap();
            release.send(()).unwrap();
            stop.cancelled().await;
            stopping.cancel();
        };
        tokio::join!(watcher.on_change(&stopping, load), others);
        assert_eq!(loads.load(Ordering::Relaxed), 1);
    }
}
