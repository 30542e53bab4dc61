//! The server's policies, reloaded when the file changes (F4), and the audit entries of changes (K3).
//!
//! The registry reports a change on the thread that read it, which must not wait for a store. So
//! changes are queued and written in order, with retries while the store is unreachable.

use std::time::Duration;

use steadfast::registry::{Change, Loader};
use steadfast::{Jitter, Policy, retry};
use steadfast_store::{AuditEntry, Program, Store};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tracing::warn;

use crate::cli::Common;
use crate::config;
use crate::error::CliError;

const ACTION: &str = "policy.reload";
const STORE_RETRY_POLICY: Policy = Policy::exponential(Duration::from_millis(200))
    .max_attempts(20)
    .max_delay(Duration::from_secs(30))
    .jitter(Jitter::Full)
    .constant();
const FLUSH_TIMEOUT: Duration = Duration::from_secs(5);

/// The registry loader and a channel of future changes.
pub(super) fn loader(common: &Common) -> Result<(Loader, UnboundedReceiver<Change>), CliError> {
    let (sender, changes) = unbounded_channel();
    let loader = match config::locate(common.config.as_deref())? {
        Some(file) => Loader::file(file),
        None => Loader::presets(),
    };
    // The receiver is gone during shutdown.
    let loader = loader.on_change(move |change| {
        let _ = sender.send(change.clone());
    });
    Ok((loader, changes))
}

pub(super) async fn write_changes(mut changes: UnboundedReceiver<Change>, store: Store) {
    while let Some(change) = changes.recv().await {
        let entry = entry(&change);
        if let Err(error) = retry(&STORE_RETRY_POLICY, || store.audit(&entry)).await {
            warn!(target: "steadfast", %error, file = change.file, "cannot write the policy change to the audit log");
        }
    }
}

pub(super) async fn finish(writing: JoinHandle<()>) {
    if timeout(FLUSH_TIMEOUT, writing).await.is_err() {
        warn!(target: "steadfast", "timed out writing the last policy change to the audit log");
    }
}

fn entry(change: &Change) -> AuditEntry {
    let detail = serde_json::to_value(change).unwrap_or_default();
    AuditEntry::new(Program::Serve.into(), ACTION).target(&change.file).detail(detail)
}
