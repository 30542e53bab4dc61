//! Reloading of the tokens file and the TLS certificate while the server runs.
//!
//! A failed load is retried after a while, because its cause may disappear without a visible change:
//! a permission, or a second write within the same timestamp. File systems may hang, so all file
//! access runs on the threads of the watchers.

use std::sync::Arc;
use std::time::Duration;

use steadfast::registry::{AfterChange, FileWatcher};
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

/// Calls `load` after each change, until the server stops. The same error is logged once.
async fn on_change(
    watcher: &FileWatcher,
    thread_name: &str,
    stopping: &CancellationToken,
    load: impl Fn() -> Result<(), String> + Send + 'static,
) {
    let mut last = Ok(());
    let started = watcher.start(thread_name, move || {
        let loaded = load();
        if let Err(error) = &loaded
            && loaded != last
        {
            warn!(target: "steadfast", error, "reload failed, the previous configuration stays active");
        }
        last = loaded;
        if last.is_ok() { AfterChange::Continue } else { AfterChange::RetryIn(RETRY_DELAY) }
    });
    if let Err(error) = started {
        warn!(target: "steadfast", %error, "cannot watch files, changes need a restart");
    }
    stopping.cancelled().await;
    watcher.stop();
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
}
