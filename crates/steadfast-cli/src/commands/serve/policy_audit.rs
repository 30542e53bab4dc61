//! Audit entries for policy file changes (F4, K3).
//!
//! The registry reports a change on the thread that read it, which must not wait for a store. So
//! changes are queued and written in order, with retries while the store is unreachable.

use std::time::Duration;

use steadfast::registry::Change;
use steadfast::{Jitter, Policy, retry};
use steadfast_store::{AuditEntry, Program, Store};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tracing::warn;

const ACTION: &str = "policy.reload";
const STORE_RETRY_POLICY: Policy = Policy::exponential(Duration::from_millis(200))
    .max_attempts(20)
    .max_delay(Duration::from_secs(30))
    .jitter(Jitter::Full)
    .constant();
const FLUSH_TIMEOUT: Duration = Duration::from_secs(5);

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
