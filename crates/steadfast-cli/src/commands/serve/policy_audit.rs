//! Changes of the policy file, in the audit log (F4, K3).
//!
//! The registry tells of a change on the thread that read it, which must not wait for a store.
//! So changes are handed over here, and written one after the other. A store that is away is
//! tried again for a while: it is not a reason to forget who changed what.

use std::time::Duration;

use steadfast::registry::Change;
use steadfast::{Jitter, Policy, retry};
use steadfast_store::{AuditEntry, Program, Store};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tracing::warn;

/// What a change is called in the log.
const ACTION: &str = "policy.reload";
/// How a store that is away is asked again.
const STORE_RETRY_POLICY: Policy = Policy::exponential(Duration::from_millis(200))
    .max_attempts(20)
    .max_delay(Duration::from_secs(30))
    .jitter(Jitter::Full)
    .constant();
/// How long the last changes may take to be written when the server ends.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(5);

/// Writes changes down as they come.
pub(super) async fn write_changes(mut changes: UnboundedReceiver<Change>, store: Store) {
    while let Some(change) = changes.recv().await {
        let entry = entry(&change);
        if let Err(error) = retry(&STORE_RETRY_POLICY, || store.audit(&entry)).await {
            warn!(target: "steadfast", %error, file = change.file, "a change of the policies is not in the audit log");
        }
    }
}

/// Waits for what is still to be written.
pub(super) async fn finish(writing: JoinHandle<()>) {
    if timeout(FLUSH_TIMEOUT, writing).await.is_err() {
        warn!(target: "steadfast", "the last change of the policies is not in the audit log");
    }
}

fn entry(change: &Change) -> AuditEntry {
    let detail = serde_json::to_value(change).unwrap_or_default();
    AuditEntry::new(Program::Serve.into(), ACTION).target(&change.file).detail(detail)
}
