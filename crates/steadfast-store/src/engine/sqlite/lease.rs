//! Leases after the claim: heartbeats, and the release of claims whose caller has gone away.

use sqlx::SqliteConnection;
use tokio::runtime::Handle;

use super::claim::{self, ClaimedRows};
use super::row::{Hex, decode, encode, fetch_json, ids};
use super::writer::{Writer, job};
use super::{now, transitions};
use crate::engine::row::signed;
use crate::error::Result;
use crate::events::notifier::{Notifier, Wake};
use crate::queue::cancel_guard::CancelGuard;
use crate::queue::claim::{FencingToken, Heartbeat};
use crate::task::TaskId;

/// Extends leases. A lease has many tasks, and a heartbeat never shortens it.
const EXTEND: &str = "UPDATE steadfast_leases SET until = max(until, ?2) \
     WHERE version IN (SELECT value FROM json_each(?1))";
const LOST: &str = "SELECT json_group_array(value) FROM json_each(?1) \
     WHERE NOT EXISTS (SELECT 1 FROM steadfast_leases WHERE version = value)";

/// Inserts a lease, and returns its fencing token.
pub(super) async fn insert(
    connection: &mut SqliteConnection,
    worker: &str,
    until: i64,
    tasks: usize,
) -> Result<i64> {
    let insert =
        "INSERT INTO steadfast_leases (owner, until, tasks) VALUES (?1, ?2, ?3) RETURNING version";
    let lease = sqlx::query_scalar(insert).bind(worker).bind(until).bind(signed(tasks));
    Ok(lease.fetch_one(connection).await?)
}

/// A task that is still held under a lease.
pub(super) async fn held(
    connection: &mut SqliteConnection,
    id: TaskId,
    fencing_token: FencingToken,
) -> Result<Option<ClaimedRows>> {
    let held = "SELECT count(*) FROM steadfast_running WHERE id = ?1 AND version = ?2";
    let held = sqlx::query_scalar(held).bind(id.uuid()).bind(fencing_token.0);
    let held: i64 = held.fetch_one(&mut *connection).await?;
    if held == 0 {
        return Ok(None);
    }
    let now = now(connection).await?;
    let rows = claim::rows(connection, &[Hex(id)]).await?;
    Ok(Some(ClaimedRows { now, fencing_token: Some(fencing_token.0), rows }))
}

/// Extends leases, and returns what the worker no longer holds.
pub(super) async fn heartbeat(
    connection: &mut SqliteConnection,
    leases: &[FencingToken],
    running: &[TaskId],
    until: i64,
) -> Result<Heartbeat> {
    let leases = encode(&leases)?;
    sqlx::query(EXTEND).bind(&leases).bind(until).execute(&mut *connection).await?;
    let lost = fetch_json(connection, sqlx::query(LOST).bind(&leases)).await?;
    let running = ids(running.iter().copied())?;
    let ended = sqlx::query(include_str!("sql/heartbeat_ended.sql")).bind(&leases).bind(running);
    let ended: Vec<Hex> = fetch_json(connection, ended).await?;
    Ok(Heartbeat { lost, ended: ended.into_iter().map(|id| id.0).collect() })
}

/// Releases a claim if its caller has gone away. If that fails, the lease expires.
pub(super) fn release_guard(
    claimed: &ClaimedRows,
    writer: Writer,
    notifier: Notifier,
) -> CancelGuard {
    let (Some(token), Ok(runtime)) = (claimed.fencing_token, Handle::try_current()) else {
        return CancelGuard::NONE;
    };
    let release = async move {
        match writer.run(job!(|connection, now| release(connection, token, now).await)).await {
            Ok(()) => notifier.notify(Wake::Ready),
            Err(error) => tracing::debug!(
                %error,
                "cannot release a cancelled claim; its lease has to expire"
            ),
        }
    };
    CancelGuard::new(move || drop(runtime.spawn(release)))
}

/// Requeues the tasks of a lease without an attempt.
async fn release(connection: &mut SqliteConnection, token: i64, now: i64) -> Result<()> {
    let held = "SELECT json_group_array(hex(id)) FROM steadfast_running WHERE version = ?1";
    let held: String = sqlx::query_scalar(held).bind(token).fetch_one(&mut *connection).await?;
    let count = decode::<Vec<Hex>>(&held)?.len();
    transitions::remove_running(connection, &held, &[(token, count)]).await?;
    transitions::enqueue(connection, &held, now).await
}
