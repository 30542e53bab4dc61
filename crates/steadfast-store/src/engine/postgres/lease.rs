//! Tasks under a lease, on their way from the database to whoever asked for them.
//!
//! A statement that was sent is carried out, whether or not its caller waits for the answer. So
//! a claim is made by a task of its own, which gives the batch back if nobody hears of it:
//! otherwise nobody would run its tasks until the lease is over.

use std::panic::resume_unwind;
use std::time::Duration;

use sqlx::Row;
use sqlx::postgres::PgRow;
use steadfast::{Jitter, Policy, retry};
use tokio::runtime::Handle;
use tokio::task::JoinError;
use tracing::warn;
use uuid::Uuid;

use super::Postgres;
use super::row::claimed;
use crate::engine::Engine as _;
use crate::error::{Result, StoreError};
use crate::queue::cancel_guard::{Delivery, Unheard};
use crate::queue::claim::{Claimed, FencingToken};
use crate::queue::quarantine::Readable;
use crate::queue::settle::{Settlement, Verdict};
use crate::task::TaskId;

/// As long as a server takes to restart. Then the lease has to run out.
const GIVING_BACK: Policy = Policy::exponential(Duration::from_millis(100))
    .max_attempts(8)
    .max_delay(Duration::from_secs(10))
    .jitter(Jitter::Full)
    .constant();

impl Postgres {
    /// The rows that `taking` answers with, for as long as somebody waits for them.
    pub(super) async fn delivered(
        &self,
        taking: impl Future<Output = Result<Vec<PgRow>>> + Send + 'static,
    ) -> Result<Delivery<Vec<PgRow>>> {
        let engine = self.clone();
        let delivery = async move {
            let answer = taking.await?;
            let unheard = engine.give_back_unheard(&answer)?;
            Ok(Delivery { answer, unheard })
        };
        tokio::spawn(delivery).await.map_err(gone)?
    }

    fn give_back_unheard(&self, rows: &[PgRow]) -> Result<Unheard> {
        let places: Vec<_> = rows.iter().map(place).collect::<Result<_>>()?;
        let (engine, runtime) = (self.clone(), Handle::current());
        let give_back = async move {
            let release = |(id, version)| Settlement { id, version, verdict: Verdict::Released };
            let released: Vec<Settlement> = places.into_iter().map(release).collect();
            if let Err(error) = retry(&GIVING_BACK, || engine.settle(released.clone())).await {
                warn!(
                    target: "steadfast",
                    %error,
                    tasks = released.len(),
                    "a claim that nobody heard of has to expire"
                );
            }
        };
        Ok(match rows.is_empty() {
            true => Unheard::NOTHING,
            false => Unheard::new(move || drop(runtime.spawn(give_back))),
        })
    }

    /// The tasks of these rows, each made into what is wanted of it. One that cannot be read is
    /// set aside.
    pub(super) async fn readable<T>(
        &self,
        rows: &[PgRow],
        wanted: impl Fn(Claimed, &PgRow) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut readable = Readable::with_capacity(rows.len());
        for row in rows {
            let (id, version) = place(row)?;
            let task = claimed(&self.names, &self.pool, row).await;
            readable.push(id, version, task.and_then(|task| wanted(task, row)))?;
        }
        if !readable.set_aside.is_empty() {
            self.settle(readable.set_aside).await?;
        }
        Ok(readable.tasks)
    }
}

/// Which task, under which lease.
fn place(row: &PgRow) -> Result<(TaskId, FencingToken)> {
    Ok((row.try_get::<Uuid, _>(0)?.into(), FencingToken(row.try_get(1)?)))
}

/// The runtime ends, and the claim with it; or a panic is on its way.
fn gone(ended: JoinError) -> StoreError {
    match ended.try_into_panic() {
        Ok(panic) => resume_unwind(panic),
        Err(_) => StoreError::ended(),
    }
}
