//! Redaction of audit entries.

use steadfast::observe::Redactor;
use steadfast_store::AuditEntry;

/// Masks secrets in the details of an entry: programs may write anything there.
pub(crate) fn without_secrets(mut entry: AuditEntry) -> AuditEntry {
    Redactor::installed().value(&mut entry.detail);
    entry
}
