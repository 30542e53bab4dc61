//! Limits on concurrent use: expensive reads, body memory, mutations and connections per client.

pub(crate) mod body_budget;
pub(crate) mod fair_share;
pub(crate) mod mutations;
pub(crate) mod read_permits;

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

/// Acquires permits, or nothing if they are not available in time.
async fn acquire_within(
    wait: Duration,
    semaphore: &Arc<Semaphore>,
    permits: u32,
) -> Option<OwnedSemaphorePermit> {
    timeout(wait, semaphore.clone().acquire_many_owned(permits)).await.ok()?.ok()
}
