//! The role that claims due tasks and extends leases.

use std::time::Duration;

use async_trait::async_trait;

use crate::error::Result;
use crate::queue::claim::{ClaimRequest, Claimed, Claims, FencingToken, Heartbeat};
use crate::task::TaskId;

/// Claims due tasks and extends leases.
#[async_trait]
pub trait Claim: Send + Sync + 'static {
    /// Claims due tasks under one new lease (D4, D5).
    async fn claim(&self, request: &ClaimRequest) -> Result<Claims>;

    /// Extends leases. The answer lists the leases, and the `running` tasks, that the worker no
    /// longer holds (D7, D10).
    async fn heartbeat(
        &self,
        leases: &[FencingToken],
        running: &[TaskId],
        lease: Duration,
    ) -> Result<Heartbeat>;

    /// A task that is still held under this lease, as the claim returned it.
    async fn held(&self, id: TaskId, fencing_token: FencingToken) -> Result<Option<Claimed>>;
}
