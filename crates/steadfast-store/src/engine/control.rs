//! The role that carries out operator actions.
//!
//! Each action writes its audit entry in the same transaction.

use async_trait::async_trait;
use jiff::Timestamp;

use crate::control::{Actor, Requeue, Requeued};
use crate::error::Result;
use crate::report::BreakerCommand;
use crate::task::TaskId;
use crate::task::filter::Filter;

/// Carries out operator actions.
#[async_trait]
pub trait Control: Send + Sync + 'static {
    /// Cancels a task, running or not (D10).
    async fn cancel(&self, id: TaskId, actor: &Actor) -> Result<()>;

    /// Makes a scheduled task due (D10).
    async fn run_now(&self, id: TaskId, actor: &Actor) -> Result<()>;

    /// Sets or clears a task's expiry (D10).
    async fn set_expiry(
        &self,
        id: TaskId,
        expires_at: Option<Timestamp>,
        actor: &Actor,
    ) -> Result<()>;

    /// Requeues finished tasks (D10, D16).
    async fn requeue(&self, filter: &Filter, requeue: &Requeue, actor: &Actor) -> Result<Requeued>;

    /// Pauses or resumes a queue (D10).
    async fn set_paused(&self, queue: &str, paused: bool, actor: &Actor) -> Result<()>;

    /// Overrides the breakers of a policy in all instances.
    async fn override_breaker(
        &self,
        policy: &str,
        command: BreakerCommand,
        actor: &Actor,
    ) -> Result<()>;
}
