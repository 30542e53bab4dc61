//! Permits for expensive reads.
//!
//! A list by a rare filter, a search or a month of metrics holds a connection for seconds on a large
//! store, and a PostgreSQL store has ten connections. Ten dashboards could hold all of them, and workers
//! would lose their leases because their heartbeats find no connection. So only a few expensive reads
//! run at a time, and submits, claims and settles always find a connection (K4). A read that gets no
//! permit in time is rejected with 503 rather than queued without limit.
//!
//! A handler takes a [`ReadPermit`] in its signature, after every extractor that can reject the request.
//! For results from the [query cache](crate::cache::query_cache), the query takes the permit, not its
//! callers.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::FromRequestParts;
use http::request::Parts;
use steadfast_api::{ApiError, ErrorKind};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::acquire_within;
use crate::app::App;
use crate::http::Problem;

/// With the [catch-up reads](crate::cache::event_feed) of event streams, this leaves four of ten
/// connections to writes.
const MAX_CONCURRENT_READS: usize = 3;
const MAX_WAIT: Duration = Duration::from_secs(10);

/// The permits for expensive reads. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct ReadPermits(Arc<Semaphore>);

/// A permit, released on drop.
#[derive(Debug)]
pub(crate) struct ReadPermit {
    _permit: OwnedSemaphorePermit,
}

impl Default for ReadPermits {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(MAX_CONCURRENT_READS)))
    }
}

impl ReadPermits {
    pub(crate) async fn acquire(&self) -> Result<ReadPermit, ApiError> {
        acquire_within(MAX_WAIT, &self.0, 1).await.map(|_permit| ReadPermit { _permit }).ok_or_else(
            || {
                let detail = "too many expensive reads in progress; retry later";
                ApiError::new(ErrorKind::Unreachable, detail)
                    .next("retry in a moment, with a narrower filter")
            },
        )
    }
}

impl FromRequestParts<App> for ReadPermit {
    type Rejection = Problem;

    async fn from_request_parts(_: &mut Parts, app: &App) -> Result<Self, Problem> {
        Ok(app.read_permits.acquire().await?)
    }
}

#[cfg(test)]
mod tests {
    use axum::response::IntoResponse;
    use tokio::time::Instant;

    use super::*;

    /// K4: a read over the limit starts when another one ends.
    #[tokio::test(start_paused = true)]
    async fn read_over_limit_waits_for_a_released_permit() {
        let permits = ReadPermits::default();
        let first = permits.acquire().await.unwrap();
        let mut others = Vec::new();
        for _ in 1..MAX_CONCURRENT_READS {
            others.push(permits.acquire().await.unwrap());
        }
        let release = async {
            tokio::time::sleep(MAX_WAIT / 2).await;
            drop(first);
        };
        let (next, ()) = tokio::join!(permits.acquire(), release);
        assert!(next.is_ok());
    }

    /// K4: a read that waits too long is rejected with 503 and `Retry-After`.
    #[tokio::test(start_paused = true)]
    async fn read_without_permit_is_rejected_after_timeout() {
        let permits = ReadPermits::default();
        let mut held = Vec::new();
        for _ in 0..MAX_CONCURRENT_READS {
            held.push(permits.acquire().await.unwrap());
        }
        let started = Instant::now();
        let response = Problem(permits.acquire().await.unwrap_err()).into_response();
        assert!(started.elapsed() < 2 * MAX_WAIT);
        assert_eq!(response.status(), 503);
        assert!(response.headers().contains_key("retry-after"));
    }
}
