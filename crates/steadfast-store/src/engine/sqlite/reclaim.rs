//! Reclaiming tasks with expired leases (D7).

use std::collections::HashMap;
use std::time::Duration;

use sqlx::SqliteConnection;

use super::claim::{self, ClaimedRows};
use super::lease;
use super::row::{Hex, after, decode, encode};
use super::transitions::shrink_leases;
use crate::error::Result;
use crate::task::TaskId;

/// Moves the tasks to the new lease, in one round trip.
const MOVE: &str = concat!(
    "UPDATE steadfast_running SET version = ?3, lost_by = lost.value ->> 2 \
     FROM json_each(?1) AS lost WHERE steadfast_running.id = unhex(lost.value ->> 0);",
    shrink_leases!()
);

/// The lease of reclaimed tasks. They are settled at once, unless this worker is lost as well.
const RECLAIM_LEASE: Duration = Duration::from_secs(5);

/// The rows of reclaimed tasks, and the worker that lost each task.
pub(super) type Reclaimed = (ClaimedRows, HashMap<TaskId, String>);

pub(super) async fn reclaim_expired(
    connection: &mut SqliteConnection,
    worker: &str,
    limit: u32,
    now: i64,
) -> Result<Option<Reclaimed>> {
    let expired = sqlx::query_scalar(include_str!("sql/reclaim.sql")).bind(now).bind(limit);
    let expired: String = expired.fetch_one(&mut *connection).await?;
    // The task, its lease, and the worker that lost it first.
    let tasks: Vec<(Hex, i64, String)> = decode(&expired)?;
    if tasks.is_empty() {
        return Ok(None);
    }
    let until = after(now, RECLAIM_LEASE);
    let token = lease::insert(connection, worker, until, tasks.len()).await?;
    let mut leases = HashMap::new();
    for (_, lease, _) in &tasks {
        *leases.entry(*lease).or_insert(0) += 1;
    }
    let leases = encode(&leases.into_iter().collect::<Vec<(i64, u64)>>())?;
    sqlx::query(MOVE).bind(&expired).bind(leases).bind(token).execute(&mut *connection).await?;
    let ids: Vec<_> = tasks.iter().map(|(id, ..)| *id).collect();
    let rows = claim::rows(connection, &ids).await?;
    let claimed = ClaimedRows { now, fencing_token: Some(token), rows };
    let lost_by = tasks.into_iter().map(|(id, _, worker)| (id.0, worker)).collect();
    Ok(Some((claimed, lost_by)))
}
