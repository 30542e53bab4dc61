//! Limits on concurrent use: expensive reads, body memory, mutations and connections per client.

mod body_budget;
mod fair_share;
mod mutations;
mod read_permits;

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

pub(crate) use body_budget::{BodyBudget, BodyPermit};
pub(crate) use fair_share::{FairShare, SharePermit};
pub(crate) use mutations::{Mutations, run_to_completion};
pub(crate) use read_permits::{ReadPermit, ReadPermits};

/// Acquires permits, or nothing if they are not available in time.
pub(crate) async fn acquire_within(
    wait: Duration,
    semaphore: &Arc<Semaphore>,
    permits: u32,
) -> Option<OwnedSemaphorePermit> {
    timeout(wait, semaphore.clone().acquire_many_owned(permits)).await.ok()?.ok()
}
