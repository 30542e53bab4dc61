//! Writing the outcomes of attempts (D4, D8, D17).

use std::collections::{BTreeSet, HashSet};

use async_trait::async_trait;
use sqlx::postgres::PgConnection;
use sqlx::{Connection as _, Row};
use uuid::Uuid;

use super::Postgres;
use super::row::column;
use super::submit::insert_faults;
use super::time::{Time, micros};
use crate::engine::Settle;
use crate::error::Result;
use crate::events::notifier::Wake;
use crate::queue::settle::{Settled, Settlement, Verdict};

const COMPLETE: &str = include_str!("sql/complete.sql");
const SETTLE: &str = include_str!("sql/settle.sql");
const HOLD_PENDING: &str = include_str!("sql/hold_pending.sql");

/// The accepted tasks with their fencing tokens.
type Accepted = HashSet<(Uuid, i64)>;

#[async_trait]
impl Settle for Postgres {
    async fn settle(&self, settlements: Vec<Settlement>) -> Result<Vec<Settled>> {
        let settle = async {
            // Of two settlements of one task only the first counts.
            let mut keys = Accepted::with_capacity(settlements.len());
            let first: Vec<bool> = settlements.iter().map(|one| keys.insert(key(one))).collect();
            let firsts = settlements.iter().zip(&first).filter(|(_, first)| **first);
            let (completed, others): (Vec<&Settlement>, Vec<&Settlement>) = firsts
                .map(|(settlement, _)| settlement)
                .partition(|settlement| matches!(settlement.verdict, Verdict::Completed { .. }));
            let mut connection = self.pool.acquire().await?;
            let mut accepted = Accepted::with_capacity(settlements.len());
            if others.is_empty() {
                complete(&mut connection, &completed, &mut accepted).await?;
            } else {
                let mut transaction = connection.begin().await?;
                if !completed.is_empty() {
                    // The two statements would otherwise lock the leases out of order.
                    let (_, _, leases) = columns(&settlements.iter().collect::<Vec<_>>());
                    lock_leases(&mut transaction, leases).await?;
                    complete(&mut transaction, &completed, &mut accepted).await?;
                }
                let wakes = settle_others(&mut transaction, &others, &mut accepted).await?;
                transaction.commit().await?;
                wakes.into_iter().for_each(|wake| self.notifier.notify(wake));
            }
            let answer = |(settlement, first): (&Settlement, &bool)| {
                let is_accepted = *first && accepted.contains(&key(settlement));
                if is_accepted { Settled::Accepted } else { Settled::Stale }
            };
            Ok(settlements.iter().zip(&first).map(answer).collect())
        };
        self.deadline.short(settle).await
    }
}

async fn lock_leases(connection: &mut PgConnection, leases: Vec<i64>) -> Result<()> {
    let lock = "SELECT version FROM steadfast.leases WHERE version = ANY ($1::bigint[]) \
         ORDER BY version FOR UPDATE";
    sqlx::query(lock).bind(leases).execute(connection).await?;
    Ok(())
}

fn key(settlement: &Settlement) -> (Uuid, i64) {
    (settlement.id.uuid(), settlement.fencing_token.0)
}

/// The ids, the fencing tokens, and the distinct leases in order.
fn columns(settlements: &[&Settlement]) -> (Vec<Uuid>, Vec<i64>, Vec<i64>) {
    let (ids, tokens): (Vec<_>, Vec<_>) = settlements.iter().map(|one| key(one)).unzip();
    let leases: BTreeSet<i64> = tokens.iter().copied().collect();
    (ids, tokens, leases.into_iter().collect())
}

async fn complete(
    connection: &mut PgConnection,
    completed: &[&Settlement],
    accepted: &mut Accepted,
) -> Result<()> {
    let (ids, tokens, leases) = columns(completed);
    let rows = sqlx::query(COMPLETE)
        .bind(ids)
        .bind(tokens)
        .bind(leases)
        .bind(results(completed))
        .fetch_all(connection)
        .await?;
    for row in rows {
        accepted.insert((row.try_get(0)?, row.try_get(1)?));
    }
    Ok(())
}

/// The results of the tasks; empty if no task has one, as is usual.
fn results<'s>(completed: &[&'s Settlement]) -> Vec<Option<&'s str>> {
    let result = |settlement: &&'s Settlement| match &settlement.verdict {
        Verdict::Completed { result } => result.as_deref(),
        _ => None,
    };
    let results: Vec<_> = completed.iter().map(result).collect();
    if results.iter().all(Option::is_none) { Vec::new() } else { results }
}

/// The columns of settlements other than completions.
#[derive(Default)]
struct VerdictColumns<'s> {
    delays: Vec<i64>,
    reasons: Vec<Option<&'static str>>,
    attempts: Vec<Option<i32>>,
    waits: Vec<Option<i32>>,
    previous: Vec<Option<i64>>,
    classes: Vec<Option<&'static str>>,
    messages: Vec<Option<&'s str>>,
    holds: Vec<bool>,
}

impl<'s> VerdictColumns<'s> {
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

async fn settle_others(
    connection: &mut PgConnection,
    others: &[&Settlement],
    accepted: &mut Accepted,
) -> Result<Vec<Wake>> {
    let (ids, tokens, leases) = columns(others);
    let mut columns = VerdictColumns::default();
    others.iter().for_each(|settlement| columns.push(&settlement.verdict));
    let holds = columns.holds.contains(&true);
    let rows = sqlx::query(SETTLE)
        .bind(ids)
        .bind(tokens)
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
        sqlx::query(HOLD_PENDING).execute(&mut *connection).await?;
    }
    add_faults(connection, others, accepted).await?;
    let released = others.iter().any(|settlement| is_pending_again(&settlement.verdict));
    Ok(released.then_some(Wake::Ready).into_iter().chain(due.map(Wake::Due)).collect())
}

fn is_pending_again(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Released)
        || matches!(verdict, Verdict::Retry { delay, .. } if delay.is_zero())
}

async fn add_faults(
    connection: &mut PgConnection,
    settlements: &[&Settlement],
    accepted: &Accepted,
) -> Result<()> {
    let accepted = settlements.iter().filter(|one| accepted.contains(&key(one)));
    let faults = accepted.filter_map(|settlement| match &settlement.verdict {
        Verdict::Retry { fault, .. } => Some((settlement.id, &**fault)),
        Verdict::Failed { fault, .. } => Some((settlement.id, fault.as_deref()?)),
        _ => None,
    });
    insert_faults(connection, faults.collect()).await
}
