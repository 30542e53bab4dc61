//! Leases after the claim: kept alive, lost, taken over (D7).

use std::collections::HashMap;
use std::time::Duration;

use sqlx::SqliteConnection;
use tokio::runtime::Handle;

use super::claim::{Taken, add_lease, bodies};
use super::row::{Hex, after, ids, json, read};
use super::transitions;
use super::writer::Writer;
use super::{Sqlite, now};
use crate::error::Result;
use crate::events::notifier::{Wake, Wakes};
use crate::queue::cancel_guard::Unheard;
use crate::queue::claim::{Claimed, FencingToken, Heartbeat};
use crate::task::TaskId;

const OF_LEASE: &str = include_str!("sql/lease_tasks.sql");
const HELD: &str = include_str!("sql/held.sql");
const RENEW: &str = include_str!("sql/heartbeat_renew.sql");
const LOST: &str = include_str!("sql/heartbeat_lost.sql");
const ENDED: &str = include_str!("sql/heartbeat_ended.sql");
const EXPIRED: &str = include_str!("sql/seize_expired.sql");
const MOVE: &str = concat!(
    include_str!("sql/seize_move.sql"),
    ";",
    include_str!("sql/lease_shrink.sql"),
    ";",
    include_str!("sql/lease_drop.sql")
);

/// How long whoever seizes tasks has to settle them, before another takes over: he does it at
/// once, unless he is lost as well.
const TO_SETTLE: Duration = Duration::from_secs(5);

/// A task that is still held under a lease.
pub(super) async fn held(
    connection: &mut SqliteConnection,
    id: TaskId,
    version: FencingToken,
) -> Result<Option<Taken>> {
    let held = sqlx::query_scalar(HELD).bind(id.uuid()).bind(version.0);
    let held: i64 = held.fetch_one(&mut *connection).await?;
    if held == 0 {
        return Ok(None);
    }
    let now = now(connection).await?;
    let bodies = bodies(connection, &[Hex(id)]).await?;
    Ok(Some(Taken { now, version: Some(version.0), bodies }))
}

/// Keeps leases alive, and tells what the worker does not have any more.
pub(super) async fn renew(
    connection: &mut SqliteConnection,
    leases: &[FencingToken],
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

/// Gives back what was claimed if nobody hears of it. If that cannot be done any more, the
/// lease expires.
pub(super) fn give_back_unheard(taken: &Taken, writer: Writer, wakes: Wakes) -> Unheard {
    let (Some(version), Ok(runtime)) = (taken.version, Handle::try_current()) else {
        return Unheard::NOTHING;
    };
    let give_back = async move {
        let given_back =
            writer.run(move |connection, now| Box::pin(give_back(connection, version, now)));
        match given_back.await {
            Ok(()) => wakes.tell(Wake::Ready),
            Err(error) => tracing::debug!(%error, "a claim that nobody heard of has to expire"),
        }
    };
    Unheard::new(move || drop(runtime.spawn(give_back)))
}

/// Puts the tasks of a lease back into their lines, untried.
async fn give_back(connection: &mut SqliteConnection, version: i64, now: i64) -> Result<()> {
    let held: String =
        sqlx::query_scalar(OF_LEASE).bind(version).fetch_one(&mut *connection).await?;
    let count = read::<Vec<Hex>>(&held)?.len();
    transitions::leave_running(connection, &held, &[(version, count)]).await?;
    transitions::enter(connection, &held, now).await
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
pub(super) async fn reclaim_expired(
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
    let bodies = bodies(connection, &seized).await?;
    let taken = Taken { now, version: Some(version), bodies };
    let losers = tasks.into_iter().map(|(id, _, loser)| (id.0, loser)).collect();
    Ok(Some(Seized { taken, losers }))
}
