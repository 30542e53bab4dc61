//! What was done, as it is answered.

use steadfast::observe::Redactor;
use steadfast_store::AuditEntry;

/// Whoever wrote an entry may have put anything beside it.
pub(crate) fn without_secrets(mut entry: AuditEntry) -> AuditEntry {
    Redactor::installed().value(&mut entry.detail);
    entry
}
