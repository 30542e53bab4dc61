//! Turns at what is dear to read.
//!
//! A list by a rare filter, a search, the figures of a month: on a large store each of them holds a
//! connection for seconds, and a store on PostgreSQL has ten for everybody. Ten dashboards that ask
//! at once would hold them all, and a worker that cannot say that it lives loses its tasks because
//! somebody wanted to see how they are. So only a few read at a time and others wait for their turn,
//! and whoever submits, claims or settles finds a connection (K4).
//!
//! Who waits for too long is asked to come again: a line that grows without end helps nobody, and
//! who asks again in a moment is better off than who is told in an hour.
//!
//! A handler demands a turn as it demands a role: [`Turn`] stands in its own signature, behind all
//! that can be refused without one. What many want at once is [shared](crate::cache::query_cache), and then it is
//! the look that takes a turn and not whoever waits for it.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::FromRequestParts;
use http::request::Parts;
use steadfast_api::{ApiError, ErrorKind};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::app::App;
use crate::http::problem::Problem;

/// So many read at a time. With those who [catch up](crate::cache::event_feed) they leave four of ten
/// connections to whoever changes something.
const AT_A_TIME: usize = 3;
/// How long somebody waits for a turn.
const WITHIN: Duration = Duration::from_secs(10);

/// The turns that there are. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Turns(Arc<Semaphore>);

/// A turn, until it is dropped.
#[derive(Debug)]
pub(crate) struct Turn(#[expect(dead_code, reason = "it is held")] OwnedSemaphorePermit);

impl Default for Turns {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(AT_A_TIME)))
    }
}

impl Turns {
    /// Waits for a turn, but not for long.
    pub(crate) async fn take(&self) -> Result<Turn, ApiError> {
        match timeout(WITHIN, self.0.clone().acquire_owned()).await {
            Ok(Ok(turn)) => Ok(Turn(turn)),
            _ => Err(too_long()),
        }
    }
}

fn too_long() -> ApiError {
    let seconds = WITHIN.as_secs();
    let detail = format!("others read so much that it was not your turn within {seconds} seconds");
    ApiError::new(ErrorKind::Unreachable, detail)
        .next("ask again in a moment, and for less at a time")
}

impl FromRequestParts<App> for Turn {
    type Rejection = Problem;

    async fn from_request_parts(_: &mut Parts, app: &App) -> Result<Self, Problem> {
        Ok(app.turns().take().await?)
    }
}

#[cfg(test)]
mod tests {
    use axum::response::IntoResponse;
    use tokio::time::Instant;

    use super::*;

    /// K4: a few read at a time, the next one when one of them is done.
    #[tokio::test(start_paused = true)]
    async fn a_few_read_at_a_time() {
        let turns = Turns::default();
        let first = turns.take().await.unwrap();
        let mut others = Vec::new();
        for _ in 1..AT_A_TIME {
            others.push(turns.take().await.unwrap());
        }
        let done = async {
            tokio::time::sleep(WITHIN / 2).await;
            drop(first);
        };
        let (next, ()) = tokio::join!(turns.take(), done);
        assert!(next.is_ok());
    }

    /// K4: who waits in vain is told so in time, and when to come again.
    #[tokio::test(start_paused = true)]
    async fn nobody_waits_for_good() {
        let turns = Turns::default();
        let mut held = Vec::new();
        for _ in 0..AT_A_TIME {
            held.push(turns.take().await.unwrap());
        }
        let began = Instant::now();
        let answer = Problem(turns.take().await.unwrap_err()).into_response();
        assert!(began.elapsed() < 2 * WITHIN);
        assert_eq!(answer.status(), 503);
        assert!(answer.headers().contains_key("retry-after"));
    }
}
