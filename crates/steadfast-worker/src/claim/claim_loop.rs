//! The claim loop, which keeps the prefetch buffer filled.
//!
//! ```text
//!             ┌───────────────── full ─────────────────┐
//!             ▼                                        │
//!   capacity and work ──▶ claim ──▶ prefetch ──────────┤
//!             ▲                                        │ short, after the cursor: a scan from the
//!             └─ notification, timer, poll ◀───────────┤ start is due
//!                                                      │ short, from the start: no pending tasks
//!                                                      └─▶ wait
//! ```
//!
//! A full claim is followed by another as soon as there is capacity, which is before the prefetch
//! buffer is empty. A short one has found everything it asked for, so the loop waits for a
//! notification, or for capacity of a queue that it had to skip, and polls in case a notification is
//! lost (D11).

use std::sync::Arc;
use std::time::Duration;

use steadfast_store::{ClaimRequest, Claims};
use tokio::time::{Instant, sleep_until};

use super::cursor::{ClaimCursors, ClaimScope};
use super::prefetch::{Capacity, MAX_PREFETCH_WAIT};
use crate::state::WorkerState;
use crate::store_clock::StoreClock;

pub(crate) struct ClaimLoop {
    state: Arc<WorkerState>,
    cursor: ClaimCursors,
    /// When to claim next, unless notified earlier.
    next_claim: Instant,
}

impl ClaimLoop {
    pub(crate) fn new(state: Arc<WorkerState>) -> Self {
        Self { state, cursor: ClaimCursors::default(), next_claim: Instant::now() }
    }

    pub(crate) async fn run(mut self) {
        let state = self.state.clone();
        while !state.shutdown.is_cancelled() {
            match state.prefetch.capacity() {
                Some(capacity) if self.next_claim <= Instant::now() => self.claim(&capacity).await,
                capacity => self.wait(capacity.is_some()).await,
            }
            let stale = state.prefetch.take_stale(Instant::now());
            state.release(stale).await;
        }
    }

    async fn wait(&mut self, has_capacity: bool) {
        let state = &self.state;
        let (has_prefetched, next_claim) = (!state.prefetch.is_empty(), self.next_claim);
        let timer = async {
            let stale_check = Instant::now() + MAX_PREFETCH_WAIT;
            match (has_capacity, has_prefetched) {
                (true, true) => sleep_until(next_claim.min(stale_check)).await,
                (true, false) => sleep_until(next_claim).await,
                (false, true) => sleep_until(stale_check).await,
                (false, false) => std::future::pending().await,
            }
        };
        tokio::select! {
            () = state.tasks_pending.notified() => self.claim_soon(),
            () = state.prefetch.has_capacity.notified() => {}
            () = state.prefetch.queue_reopened.notified() => self.claim_soon(),
            () = state.shutdown.cancelled() => {}
            () = timer => {}
        }
    }

    fn claim_soon(&mut self) {
        let now = Instant::now();
        let earliest = match self.state.handlers.claim_kinds() {
            Some(_) => self.cursor.earliest_filtered_claim(now),
            None => now,
        };
        self.next_claim = self.next_claim.min(earliest);
    }

    async fn claim(&mut self, capacity: &Capacity) {
        let scope = self.cursor.scope(Instant::now());
        let request = self.request(scope, capacity);
        let started = Instant::now();
        let store = &self.state.store;
        let claim = || async {
            let requested = Instant::now();
            store.claim(&request).await.map(|claims| (claims, requested))
        };
        let Some((claims, requested)) = self.state.store_retry.call("claim tasks", claim).await
        else {
            return;
        };
        let full = is_full(&request, &claims);
        self.cursor.record(scope, started.elapsed(), &claims.tasks, full);
        self.next_claim = match (full, scope) {
            (true, _) => Instant::now(),
            (false, ClaimScope::AfterCursor) => {
                self.cursor.full_scan_due().unwrap_or_else(Instant::now)
            }
            (false, ClaimScope::FromStart) => {
                let poll = Instant::now() + self.poll_interval();
                self.cursor.full_scan_due().map_or(poll, |due| due.max(poll))
            }
        };
        self.prefetch(claims, requested).await;
    }

    fn request(&self, scope: ClaimScope, capacity: &Capacity) -> ClaimRequest {
        let config = &self.state.config;
        let mut request =
            ClaimRequest::new(config.name.clone(), capacity.total).lease(config.lease);
        request.queues = self.cursor.queue_limits(scope, capacity);
        request.categories.clone_from(&config.categories);
        request.kinds = self.state.handlers.claim_kinds().cloned();
        request
    }

    async fn prefetch(&self, claims: Claims, requested: Instant) {
        let Some(first) = claims.tasks.first() else {
            return;
        };
        self.state.leases.insert(first.fencing_token, claims.tasks.len(), requested);
        let clock = StoreClock::new(claims.now);
        let rejected = self.state.prefetch.add(claims.tasks, clock);
        self.state.release(rejected).await;
    }

    /// The poll interval with jitter, so that a fleet does not poll at once.
    fn poll_interval(&self) -> Duration {
        self.state.config.poll.mul_f64(0.75 + 0.5 * fastrand::f64())
    }
}

/// Whether the claim reached a limit, so that more tasks may be pending.
fn is_full(request: &ClaimRequest, claims: &Claims) -> bool {
    let count = |queue: &str| claims.tasks.iter().filter(|task| task.queue == queue).count();
    claims.tasks.len() >= request.limit as usize
        || request.queues.iter().any(|lane| count(&lane.queue) >= lane.limit as usize)
}
