//! The audit log: filter, redaction, and the hook for actions that the store does not audit.

mod filter;
mod hook;
mod redact;

pub use filter::AuditFilter;
pub use hook::{AuditHook, ReadAction, TaskAction};
pub(crate) use redact::without_secrets;
