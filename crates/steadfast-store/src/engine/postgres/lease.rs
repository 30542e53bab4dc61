//! Leases after the claim: heartbeats, and the release of claims whose caller has gone away.
//!
//! A statement that was sent is executed, whether or not its caller waits for the answer. So a
//! claim runs in its own task, which releases the batch if the caller has gone away: otherwise
//! its tasks would wait until the lease expires.

use std::collections::HashSet;
use std::panic::resume_unwind;
use std::time::Duration;

use sqlx::Row;
use sqlx::postgres::{PgPool, PgRow};
use steadfast::{Jitter, Policy, retry};
use tokio::runtime::Handle;
use tokio::task::JoinError;
use tracing::warn;
use uuid::Uuid;

use super::Postgres;
use super::row::claimed;
use crate::engine::Settle as _;
use crate::engine::time::micros;
use crate::error::{Result, StoreError};
use crate::queue::cancel_guard::{CancelGuard, Guarded};
use crate::queue::claim::{Claimed, FencingToken, Heartbeat};
use crate::queue::quarantine::DecodedBatch;
use crate::queue::settle::{Settlement, Verdict};
use crate::task::TaskId;

/// The time that a server takes to restart. After it, the lease expires.
const RELEASE_POLICY: Policy = Policy::exponential(Duration::from_millis(100))
    .max_attempts(8)
    .max_delay(Duration::from_secs(10))
    .jitter(Jitter::Full)
    .constant();

pub(super) async fn heartbeat(
    pool: &PgPool,
    leases: &[FencingToken],
    running: &[TaskId],
    lease: Duration,
) -> Result<Heartbeat> {
    let tokens: Vec<i64> = leases.iter().map(|token| token.0).collect();
    let mut connection = pool.acquire().await?;
    let alive: Vec<i64> = sqlx::query_scalar(include_str!("sql/heartbeat.sql"))
        .bind(&tokens)
        .bind(micros(lease))
        .fetch_all(&mut *connection)
        .await?;
    let held = "SELECT g.id FROM steadfast.leases l \
         CROSS JOIN LATERAL unnest(l.tasks) WITH ORDINALITY AS g (id, slot) \
         WHERE l.version = ANY ($1::bigint[]) AND get_bit(l.done, g.slot::int - 1) = 0";
    let held: Vec<Uuid> = sqlx::query_scalar(held).bind(&alive).fetch_all(&mut *connection).await?;
    let held: HashSet<Uuid> = held.into_iter().collect();
    let is_not_held = |id: &&TaskId| !held.contains(&id.uuid());
    Ok(Heartbeat {
        lost: leases.iter().filter(|lease| !alive.contains(&lease.0)).copied().collect(),
        ended: running.iter().filter(is_not_held).copied().collect(),
    })
}

pub(super) async fn held(
    engine: &Postgres,
    id: TaskId,
    fencing_token: FencingToken,
) -> Result<Option<Claimed>> {
    let row = sqlx::query(include_str!("sql/held.sql")).bind(id.uuid()).bind(fencing_token.0);
    match row.fetch_optional(&engine.pool).await? {
        Some(row) => claimed(&engine.names, &engine.pool, &row).await.map(Some),
        None => Ok(None),
    }
}

impl Postgres {
    /// Runs a claim in its own task, and releases its tasks if the caller goes away.
    pub(super) async fn release_if_cancelled(
        &self,
        claim: impl Future<Output = Result<Vec<PgRow>>> + Send + 'static,
    ) -> Result<Guarded<Vec<PgRow>>> {
        let engine = self.clone();
        let guarded = async move {
            let answer = claim.await?;
            let guard = engine.release_guard(&answer)?;
            Ok(Guarded { answer, guard })
        };
        tokio::spawn(guarded).await.map_err(join_error)?
    }

    fn release_guard(&self, rows: &[PgRow]) -> Result<CancelGuard> {
        let held: Vec<_> = rows.iter().map(id_and_token).collect::<Result<_>>()?;
        let (engine, runtime) = (self.clone(), Handle::current());
        let release = async move {
            let release =
                |(id, fencing_token)| Settlement { id, fencing_token, verdict: Verdict::Released };
            let released: Vec<Settlement> = held.into_iter().map(release).collect();
            if let Err(error) = retry(&RELEASE_POLICY, || engine.settle(released.clone())).await {
                warn!(
                    target: "steadfast",
                    %error,
                    tasks = released.len(),
                    "cannot release a cancelled claim; its lease has to expire"
                );
            }
        };
        Ok(match rows.is_empty() {
            true => CancelGuard::NONE,
            false => CancelGuard::new(move || drop(runtime.spawn(release))),
        })
    }

    /// Decodes claimed rows. A task that cannot be decoded is quarantined.
    pub(super) async fn decode_claimed<T>(
        &self,
        rows: &[PgRow],
        convert: impl Fn(Claimed, &PgRow) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut batch = DecodedBatch::with_capacity(rows.len());
        for row in rows {
            let (id, fencing_token) = id_and_token(row)?;
            let task = claimed(&self.names, &self.pool, row).await;
            batch.push(id, fencing_token, task.and_then(|task| convert(task, row)))?;
        }
        if !batch.quarantined.is_empty() {
            self.settle(batch.quarantined).await?;
        }
        Ok(batch.tasks)
    }
}

fn id_and_token(row: &PgRow) -> Result<(TaskId, FencingToken)> {
    Ok((row.try_get::<Uuid, _>(0)?.into(), FencingToken(row.try_get(1)?)))
}

/// The runtime has shut down, or the claim panicked.
fn join_error(error: JoinError) -> StoreError {
    match error.try_into_panic() {
        Ok(panic) => resume_unwind(panic),
        Err(_) => StoreError::closed(),
    }
}
