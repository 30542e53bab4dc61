//! Files that change while the server runs: tokens, certificates.
//!
//! They are looked at, and not waited for: whatever replaces them, a rename, a link of Kubernetes
//! or a network's file system, is seen by looking, and they change seldom. A file that looks
//! different is left alone until it looks the same twice, so that no half of it is read. One that
//! cannot be used is tried again in a while, for what was in the way may go without a trace: a
//! right to read it, a second half that came within the same moment. A file system may take its
//! time, or hang, so nobody is kept waiting while they are looked at.

use std::fs::Metadata;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use tokio::task::spawn_blocking;
use tokio::time::{Instant, MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;
use tracing::warn;

/// How often they are looked at.
const EVERY: Duration = Duration::from_millis(500);
/// How long until files that could not be used are tried again.
const AGAIN: Duration = Duration::from_secs(5);

/// Some files, and what they looked like before they were read.
#[derive(Clone, Debug)]
pub(crate) struct Watched {
    files: Arc<[PathBuf]>,
    known: Look,
}

/// What files look like from outside.
type Look = Vec<Option<(Option<SystemTime>, u64, u64)>>;

impl Watched {
    /// Looks at files, which are to be read after this and not before.
    pub(crate) fn new(files: Vec<PathBuf>) -> Self {
        let known = look(&files);
        Self { files: files.into(), known }
    }

    /// Has them used after each change, until the server stops. What is in the way is told once.
    pub(crate) async fn each_change(
        mut self,
        stopping: &CancellationToken,
        used: impl Fn() -> Result<(), String> + Send + Sync + 'static,
    ) {
        let used = Arc::new(used);
        let mut last = None;
        let mut trouble: Option<Trouble> = None;
        let mut ticks = interval(EVERY);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let files = self.files.clone();
            let looking = async {
                ticks.tick().await;
                spawn_blocking(move || look(&files)).await
            };
            let now = match stopping.run_until_cancelled(looking).await {
                Some(Ok(now)) => now,
                Some(Err(_)) => continue,
                None => return,
            };
            let is_calm = last.as_ref() == Some(&now);
            let is_due = trouble.as_ref().is_some_and(|trouble| trouble.since.elapsed() >= AGAIN);
            if is_calm && (now != self.known || is_due) {
                self.known.clone_from(&now);
                let used = used.clone();
                let using = spawn_blocking(move || used());
                let Some(outcome) = stopping.run_until_cancelled(using).await else { return };
                let problem = outcome.unwrap_or_else(|panic| Err(panic.to_string())).err();
                trouble = problem.map(|problem| Trouble::told(problem, trouble.as_ref()));
            }
            last = Some(now);
        }
    }
}

/// Why files cannot be used.
struct Trouble {
    problem: String,
    since: Instant,
}

impl Trouble {
    fn told(problem: String, before: Option<&Self>) -> Self {
        if before.is_none_or(|before| before.problem != problem) {
            warn!(target: "steadfast", problem, "what was read before stays in force");
        }
        Self { problem, since: Instant::now() }
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

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::sync::mpsc;

    use tempfile::TempDir;

    use super::*;

    /// A file that has changed since it was looked at.
    fn changed() -> (TempDir, Watched) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a");
        let watched = Watched::new(vec![file.clone()]);
        std::fs::write(&file, "new").unwrap();
        (folder, watched)
    }

    /// K4: what could not be used is tried again, though the file looks as it did.
    #[tokio::test(start_paused = true)]
    async fn what_could_not_be_used_is_tried_again() {
        let (_folder, watched) = changed();
        let (stopping, tries) = (CancellationToken::new(), Arc::new(AtomicU32::new(0)));
        let (stop, tried) = (stopping.clone(), tries.clone());
        let used = move || match tried.fetch_add(1, Ordering::Relaxed) {
            0 | 1 => Err("it cannot be read".to_owned()),
            _ => {
                stop.cancel();
                Ok(())
            }
        };
        watched.each_change(&stopping, used).await;
        assert_eq!(tries.load(Ordering::Relaxed), 3);
    }

    /// K4: a file system that takes its time keeps nobody else waiting. Here the file is read as
    /// soon as somebody else has had their turn.
    #[tokio::test]
    async fn nobody_waits_for_a_file() {
        let (_folder, watched) = changed();
        let (begins, begun) = tokio::sync::oneshot::channel();
        let (lets_go, is_let_go) = mpsc::channel();
        let both = Mutex::new((Some(begins), is_let_go));
        let (stopping, stop) = (CancellationToken::new(), CancellationToken::new());
        let (read, ended) = (Arc::new(AtomicU32::new(0)), stop.clone());
        let was_read = read.clone();
        let used = move || {
            let mut both = both.lock().unwrap();
            both.0.take().unwrap().send(()).unwrap();
            let waited = both.1.recv_timeout(Duration::from_secs(5));
            was_read.store(u32::from(waited.is_ok()), Ordering::Relaxed);
            ended.cancel();
            Ok(())
        };
        let others = async {
            begun.await.unwrap();
            lets_go.send(()).unwrap();
            stop.cancelled().await;
            stopping.cancel();
        };
        tokio::join!(watched.each_change(&stopping, used), others);
        assert_eq!(read.load(Ordering::Relaxed), 1);
    }
}
