//! A worker's last word on its tasks.

use std::collections::{BTreeSet, HashSet};

use sqlx::postgres::PgConnection;
use sqlx::{Connection as _, Row};
use uuid::Uuid;

use super::Postgres;
use super::row::column;
use super::time::{Time, micros};
use crate::error::{Result, StoreError};
use crate::events::notifier::Wake;
use crate::queue::settle::{Settled, Settlement, Verdict};
use crate::task::FaultRecord;

const LOCK: &str = include_str!("sql/lock_leases.sql");
const COMPLETE: &str = include_str!("sql/complete.sql");
const SETTLE: &str = include_str!("sql/settle.sql");
const HOLD_READY: &str = include_str!("sql/hold_ready.sql");
const FAULTS: &str = include_str!("sql/add_faults.sql");

/// The tasks that a statement accepted, with the versions they were held under.
type Accepted = HashSet<(Uuid, i64)>;

impl Postgres {
    pub(super) async fn settle_tasks(&self, settlements: Vec<Settlement>) -> Result<Vec<Settled>> {
        // Whoever has two last words on one task had the first of them.
        let mut places = Accepted::with_capacity(settlements.len());
        let first: Vec<bool> = settlements.iter().map(|one| places.insert(place(one))).collect();
        let firsts = settlements.iter().zip(&first).filter(|(_, first)| **first);
        let (done, others): (Vec<&Settlement>, Vec<&Settlement>) = firsts
            .map(|(settlement, _)| settlement)
            .partition(|settlement| matches!(settlement.verdict, Verdict::Completed { .. }));
        let mut connection = self.pool.acquire().await?;
        let mut accepted = Accepted::with_capacity(settlements.len());
        if others.is_empty() {
            complete(&mut connection, &done, &mut accepted).await?;
        } else {
            let mut transaction = connection.begin().await?;
            if !done.is_empty() {
                // One after the other, the two would lock the leases out of their order.
                let (_, _, leases) = columns(&settlements.iter().collect::<Vec<_>>());
                sqlx::query(LOCK).bind(leases).execute(&mut *transaction).await?;
                complete(&mut transaction, &done, &mut accepted).await?;
            }
            let wakes = self::others(&mut transaction, &others, &mut accepted).await?;
            transaction.commit().await?;
            wakes.into_iter().for_each(|wake| self.announcer.tell(wake));
        }
        let answer = |(settlement, first): (&Settlement, &bool)| {
            let holds = *first && accepted.contains(&place(settlement));
            if holds { Settled::Accepted } else { Settled::Stale }
        };
        Ok(settlements.iter().zip(&first).map(answer).collect())
    }
}

fn place(settlement: &Settlement) -> (Uuid, i64) {
    (settlement.id.uuid(), settlement.version.0)
}

fn columns(settlements: &[&Settlement]) -> (Vec<Uuid>, Vec<i64>, Vec<i64>) {
    let (ids, versions): (Vec<_>, Vec<_>) = settlements.iter().map(|one| place(one)).unzip();
    let leases: BTreeSet<i64> = versions.iter().copied().collect();
    (ids, versions, leases.into_iter().collect())
}

async fn complete(
    connection: &mut PgConnection,
    done: &[&Settlement],
    accepted: &mut Accepted,
) -> Result<()> {
    let (ids, versions, leases) = columns(done);
    let rows = sqlx::query(COMPLETE)
        .bind(ids)
        .bind(versions)
        .bind(leases)
        .bind(results(done))
        .fetch_all(connection)
        .await?;
    for row in rows {
        accepted.insert((row.try_get(0)?, row.try_get(1)?));
    }
    Ok(())
}

/// The results beside their tasks; none at all if nobody has one, as is usual.
fn results<'s>(done: &[&'s Settlement]) -> Vec<Option<&'s str>> {
    let result = |settlement: &&'s Settlement| match &settlement.verdict {
        Verdict::Completed { result } => result.as_deref(),
        _ => None,
    };
    let results: Vec<_> = done.iter().map(result).collect();
    if results.iter().all(Option::is_none) { Vec::new() } else { results }
}

/// What becomes of the tasks that did not complete, column by column.
#[derive(Default)]
struct Columns<'s> {
    delays: Vec<i64>,
    reasons: Vec<Option<&'static str>>,
    attempts: Vec<Option<i32>>,
    waits: Vec<Option<i32>>,
    previous: Vec<Option<i64>>,
    classes: Vec<Option<&'static str>>,
    messages: Vec<Option<&'s str>>,
    holds: Vec<bool>,
}

impl<'s> Columns<'s> {
    fn push(&mut self, verdict: &'s Verdict) {
        let (delay, reason, progress, fault, hold) = match verdict {
            Verdict::Retry { fault, progress, delay, hold } => {
                (micros(*delay), None, Some(progress), Some(fault), *hold)
            }
            Verdict::Failed { fault, progress, reason } => {
                (0, Some(reason.name()), Some(progress), fault.as_ref(), false)
            }
            Verdict::Postponed { delay } => (micros(*delay), None, None, None, false),
            Verdict::Released | Verdict::Completed { .. } => (0, None, None, None, false),
        };
        self.delays.push(delay);
        self.reasons.push(reason);
        self.attempts.push(progress.map(|progress| column(progress.attempts)));
        self.waits.push(progress.map(|progress| column(progress.rate_limit_waits)));
        let previous = |nanos| i64::try_from(nanos).unwrap_or(i64::MAX);
        self.previous.push(progress.map(|progress| previous(progress.previous)));
        self.classes.push(fault.map(|fault| fault.class.name()));
        self.messages.push(fault.map(|fault| fault.message.as_str()));
        self.holds.push(hold);
    }
}

async fn others(
    connection: &mut PgConnection,
    others: &[&Settlement],
    accepted: &mut Accepted,
) -> Result<Vec<Wake>> {
    let (ids, versions, leases) = columns(others);
    let mut columns = Columns::default();
    others.iter().for_each(|settlement| columns.push(&settlement.verdict));
    let holds = columns.holds.contains(&true);
    let rows = sqlx::query(SETTLE)
        .bind(ids)
        .bind(versions)
        .bind(leases)
        .bind(columns.delays)
        .bind(columns.reasons)
        .bind(columns.attempts)
        .bind(columns.waits)
        .bind(columns.previous)
        .bind(columns.classes)
        .bind(columns.messages)
        .bind(columns.holds)
        .fetch_all(&mut *connection)
        .await?;
    let mut due = None::<jiff::Timestamp>;
    for row in &rows {
        accepted.insert((row.try_get(0)?, row.try_get(1)?));
        let run_at = row.try_get::<Time, _>(2)?.0;
        due = Some(due.map_or(run_at, |due| due.min(run_at)));
    }
    if holds {
        sqlx::query(HOLD_READY).execute(&mut *connection).await?;
    }
    add_faults(connection, others, accepted).await?;
    let released = others.iter().any(|settlement| is_ready_again(&settlement.verdict));
    Ok(released.then_some(Wake::Ready).into_iter().chain(due.map(Wake::Due)).collect())
}

fn is_ready_again(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Released)
        || matches!(verdict, Verdict::Retry { delay, .. } if delay.is_zero())
}

async fn add_faults(
    connection: &mut PgConnection,
    settlements: &[&Settlement],
    accepted: &Accepted,
) -> Result<()> {
    let (mut ids, mut records) = (Vec::new(), Vec::new());
    for settlement in settlements.iter().filter(|one| accepted.contains(&place(one))) {
        let fault = match &settlement.verdict {
            Verdict::Retry { fault, .. } => Some(fault),
            Verdict::Failed { fault, .. } => fault.as_ref(),
            _ => None,
        };
        if let Some(fault) = fault {
            ids.push(settlement.id.uuid());
            records.push(written(fault)?);
        }
    }
    if ids.is_empty() {
        return Ok(());
    }
    sqlx::query(FAULTS).bind(ids).bind(records).execute(connection).await?;
    Ok(())
}

/// A fault as its row has it.
pub(super) fn written(fault: &FaultRecord) -> Result<String> {
    let unwritable = |error| StoreError::Database(sqlx::Error::Encode(Box::new(error)));
    serde_json::to_string(fault).map_err(unwritable)
}
