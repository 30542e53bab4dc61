//! Reloading of the tokens file and the TLS certificate while the server runs.
//!
//! A failed load is retried after a while, because its cause may disappear without a visible change:
//! a permission, or a second write within the same timestamp. File systems may hang, so all file
//! access runs on the threads of the watchers.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use steadfast::__private::{AfterChange, FileWatcher};
use steadfast_store::{Actor, AuditEntry};
use tokio_util::sync::CancellationToken;
use tracing::warn;

use crate::app::App;
use crate::http::Tls;

/// The delay before a failed load is retried.
const RETRY_DELAY: Duration = Duration::from_secs(5);

/// Reloads tokens and certificate after each change of their files, until the server stops.
pub(crate) async fn watch_files(app: &App, tls: Option<Arc<Tls>>) {
    let tokens = async {
        if let Some(tokens) = app.auth.tokens() {
            let reloading = app.clone();
            let reload = move || reload_tokens(&reloading);
            on_change(tokens.watcher(), "steadfast-tokens", &app.stopping, reload).await;
        }
    };
    let certificate = async {
        if let Some(tls) = tls {
            let reloading = tls.clone();
            let reload = move || reloading.reload().map_err(|error| error.to_string());
            on_change(tls.watcher(), "steadfast-tls", &app.stopping, reload).await;
        }
    };
    tokio::join!(tokens, certificate);
}

fn reload_tokens(app: &App) -> Result<(), String> {
    let Some(tokens) = app.auth.tokens() else {
        return Ok(());
    };
    if let Some(changes) = tokens.reload().map_err(|problems| problems.to_string())? {
        let entry = AuditEntry::new(Actor::new("server"), "tokens.reload");
        app.audit.record(entry.detail(changes));
    }
    Ok(())
}

/// Calls `load` after each change, until the server stops or this future is dropped.
async fn on_change(
    watcher: &FileWatcher,
    thread_name: &str,
    stopping: &CancellationToken,
    load: impl Fn() -> Result<(), String> + Send + 'static,
) {
    let _stop = StopOnDrop(watcher);
    let mut last = Ok(());
    let started = watcher.start(thread_name, move || attempt(&load, &mut last));
    if let Err(error) = started {
        warn!(target: "steadfast", %error, "cannot watch files, changes need a restart");
    }
    stopping.cancelled().await;
}

/// Stops the thread of a watcher. Its callback owns what owns the watcher, so neither would be
/// dropped otherwise.
struct StopOnDrop<'a>(&'a FileWatcher);

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        self.0.stop();
    }
}

/// Loads once. A load that panics fails. The same error is logged once.
fn attempt(load: impl Fn() -> Result<(), String>, last: &mut Result<(), String>) -> AfterChange {
    let loaded = catch_unwind(AssertUnwindSafe(load))
        .unwrap_or_else(|_| Err("the load panicked".to_owned()));
    if let Err(error) = &loaded
        && loaded != *last
    {
        warn!(target: "steadfast", error, "reload failed, the previous configuration stays active");
    }
    *last = loaded;
    if last.is_ok() { AfterChange::Continue } else { AfterChange::RetryIn(RETRY_DELAY) }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    /// K4: a slow file system does not block other tasks. Here the load completes only after another
    /// task has run.
    #[tokio::test]
    async fn slow_load_does_not_block_other_tasks() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a");
        let watcher = FileWatcher::new(vec![file.clone()]);
        std::fs::write(&file, "new").unwrap();
        let (start, mut started) = tokio::sync::mpsc::unbounded_channel();
        let (release, released) = mpsc::channel();
        let stopping = CancellationToken::new();
        let stop = stopping.clone();
        let load = move || {
            start.send(()).unwrap();
            released.recv_timeout(Duration::from_secs(5)).unwrap();
            stop.cancel();
            Ok(())
        };
        let others = async {
            started.recv().await.unwrap();
            release.send(()).unwrap();
        };
        tokio::join!(on_change(&watcher, "test", &stopping, load), others);
    }

    /// A server that is dropped instead of stopped leaves no thread, and nothing that it owns.
    #[tokio::test]
    async fn dropped_future_ends_the_watcher() {
        let folder = tempfile::tempdir().unwrap();
        let watcher = Arc::new(FileWatcher::new(vec![folder.path().join("a")]));
        let (owned, dropped) = mpsc::channel::<()>();
        let owner = (watcher.clone(), owned);
        let load = move || {
            let _ = &owner;
            Ok(())
        };
        let stopping = CancellationToken::new();
        let watching = on_change(&watcher, "test", &stopping, load);
        assert!(tokio::time::timeout(Duration::from_millis(10), watching).await.is_err());
        assert!(watcher.is_running());
        let ended = dropped.recv_timeout(Duration::from_secs(5));
        assert_eq!(ended, Err(mpsc::RecvTimeoutError::Disconnected));
        assert_eq!(Arc::strong_count(&watcher), 1);
    }

    #[test]
    fn load_that_panics_is_retried() {
        let mut last = Ok(());
        let after = attempt(|| panic!("a bug"), &mut last);
        assert_eq!(after, AfterChange::RetryIn(RETRY_DELAY));
        assert_eq!(last, Err("the load panicked".to_owned()));
        assert_eq!(attempt(|| Ok(()), &mut last), AfterChange::Continue);
    }
}
