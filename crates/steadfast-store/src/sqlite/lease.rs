//! Leases after the claim: kept alive, lost, taken over (D7).

use std::collections::HashMap;
use std::time::Duration;

use sqlx::SqliteConnection;

use super::Sqlite;
use super::claim::{Taken, add_lease, bodies};
use super::row::{Hex, after, ids, json, read};
use crate::claim::{Claimed, Heartbeat, Version};
use crate::error::Result;
use crate::task::TaskId;

const RENEW: &str = include_str!("sql/heartbeat_renew.sql");
const LOST: &str = include_str!("sql/heartbeat_lost.sql");
const ENDED: &str = include_str!("sql/heartbeat_ended.sql");
pub(super) const EXPIRED: &str = include_str!("sql/seize_expired.sql");
const MOVE: &str = concat!(
    include_str!("sql/seize_move.sql"),
    ";",
    include_str!("sql/lease_shrink.sql"),
    ";",
    include_str!("sql/lease_drop.sql")
);

/// How long whoever seizes tasks has to settle them.
const TO_SETTLE: Duration = Duration::from_secs(60);

/// Keeps leases alive, and tells what the worker does not have any more.
pub(super) async fn renew(
    connection: &mut SqliteConnection,
    leases: &[Version],
    running: &[TaskId],
    until: i64,
) -> Result<Heartbeat> {
    let leases = json(&leases)?;
    sqlx::query(RENEW).bind(&leases).bind(until).execute(&mut *connection).await?;
    let lost: String = sqlx::query_scalar(LOST).bind(&leases).fetch_one(&mut *connection).await?;
    let running = ids(running.iter().copied())?;
    let ended: String =
        sqlx::query_scalar(ENDED).bind(&leases).bind(running).fetch_one(connection).await?;
    let ended = read::<Vec<Hex>>(&ended)?;
    Ok(Heartbeat { lost: read(&lost)?, ended: ended.into_iter().map(|id| id.0).collect() })
}

/// Tasks that were taken over, and who lost each.
#[derive(Debug)]
pub(super) struct Seized {
    taken: Taken,
    losers: HashMap<TaskId, String>,
}

impl Seized {
    /// The tasks, each with who lost it.
    pub(super) async fn claimed(mut self, engine: &Sqlite) -> Result<Vec<(Claimed, String)>> {
        let tasks = self.taken.claimed(engine).await?.into_iter();
        Ok(tasks.filter_map(|task| self.losers.remove(&task.id).map(|by| (task, by))).collect())
    }
}

/// Takes over tasks whose leases have expired.
pub(super) async fn seize(
    connection: &mut SqliteConnection,
    worker: &str,
    limit: u32,
    now: i64,
) -> Result<Option<Seized>> {
    let expired: String =
        sqlx::query_scalar(EXPIRED).bind(now).bind(limit).fetch_one(&mut *connection).await?;
    let tasks: Vec<(Hex, i64, String)> = read(&expired)?;
    if tasks.is_empty() {
        return Ok(None);
    }
    let version = add_lease(connection, worker, after(now, TO_SETTLE), tasks.len()).await?;
    let mut leases = HashMap::new();
    for (_, lease, _) in &tasks {
        *leases.entry(*lease).or_insert(0) += 1;
    }
    let leases = json(&leases.into_iter().collect::<Vec<(i64, u64)>>())?;
    let moving = sqlx::query(MOVE).bind(&expired).bind(leases).bind(version);
    moving.execute(&mut *connection).await?;
    let seized: Vec<_> = tasks.iter().map(|(id, ..)| *id).collect();
    let taken = Taken { version, bodies: bodies(connection, &seized).await? };
    let losers = tasks.into_iter().map(|(id, _, loser)| (id.0, loser)).collect();
    Ok(Some(Seized { taken, losers }))
}
