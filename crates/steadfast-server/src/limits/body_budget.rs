//! The memory budget of request bodies.
//!
//! The size of a body and the number of requests are limited, but their product exceeds any machine's
//! memory. So a large body acquires its size from a common budget before it is read and holds it until
//! the response: the parsed value takes about as much memory. A request that gets none in time is
//! rejected with 503 (K4).
//!
//! Small bodies are exempt: thousands of them are cheap, and a heartbeat must not wait for large batches.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use steadfast_api::{ApiError, ErrorKind};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::acquire_within;

const BUDGET_BYTES: u32 = 256 << 20;
/// Bodies up to this size are exempt.
const EXEMPT_BYTES: u32 = 64 << 10;
/// How long a large body waits for memory.
const MAX_WAIT: Duration = Duration::from_secs(5);

pub(crate) struct BodyBudget {
    total: u32,
    exempt: u32,
    free: Arc<Semaphore>,
}

/// The memory held by one request until its response. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub(crate) struct BodyPermit(Arc<OnceLock<OwnedSemaphorePermit>>);

impl Default for BodyBudget {
    fn default() -> Self {
        Self::new(BUDGET_BYTES, EXEMPT_BYTES)
    }
}

impl BodyBudget {
    fn new(total: u32, exempt: u32) -> Self {
        Self { total, exempt, free: Arc::new(Semaphore::new(total as usize)) }
    }

    pub(crate) async fn acquire(&self, bytes: u64, permit: &BodyPermit) -> Result<(), ApiError> {
        if bytes <= u64::from(self.exempt) {
            return Ok(());
        }
        // A body larger than the budget waits until it is the only one.
        let bytes = u32::try_from(bytes).unwrap_or(self.total).min(self.total);
        let acquired = acquire_within(MAX_WAIT, &self.free, bytes).await.ok_or_else(exhausted)?;
        // A request has one body.
        let _ = permit.0.set(acquired);
        Ok(())
    }
}

fn exhausted() -> ApiError {
    ApiError::new(ErrorKind::Unreachable, "too many large request bodies in progress; retry later")
        .next("retry in a moment, or send smaller batches")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// K4: a large body waits for memory and is rejected after a timeout; a small one is exempt.
    #[tokio::test(start_paused = true)]
    async fn large_body_over_budget_waits_then_is_rejected() {
        let budget = BodyBudget::new(100, 10);
        let (first, second) = (BodyPermit::default(), BodyPermit::default());
        budget.acquire(60, &first).await.unwrap();
        budget.acquire(40, &second).await.unwrap();
        let rejected = budget.acquire(11, &BodyPermit::default()).await.unwrap_err();
        assert_eq!((rejected.status, rejected.next.is_some()), (503, true));
        budget.acquire(10, &BodyPermit::default()).await.unwrap();

        let response = async {
            tokio::time::sleep(MAX_WAIT / 2).await;
            drop(first);
        };
        let third = BodyPermit::default();
        let (acquired, ()) = tokio::join!(budget.acquire(60, &third), response);
        acquired.unwrap();
    }

    /// K4: a body larger than the whole budget is admitted alone.
    #[tokio::test(start_paused = true)]
    async fn body_larger_than_budget_is_admitted_alone() {
        let (budget, permit) = (BodyBudget::new(100, 10), BodyPermit::default());
        budget.acquire(u64::MAX, &permit).await.unwrap();
        budget.acquire(11, &BodyPermit::default()).await.unwrap_err();
        drop(permit);
        budget.acquire(11, &BodyPermit::default()).await.unwrap();
    }
}
