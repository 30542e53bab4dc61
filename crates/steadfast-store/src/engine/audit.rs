//! The role that stores the audit log.

use async_trait::async_trait;

use crate::audit::{AuditEntry, AuditQuery};
use crate::error::Result;
use crate::page::Page;

/// Stores the audit log.
#[async_trait]
pub trait Audit: Send + Sync + 'static {
    /// Writes entries, all or none (K3).
    async fn audit(&self, entries: &[AuditEntry]) -> Result<()>;

    /// The entries that match, newest first.
    async fn audit_entries(&self, query: &AuditQuery) -> Result<Page<AuditEntry>>;
}
