//! Writing the outcomes of attempts (D4, D8, D17).

use std::collections::{BTreeSet, HashSet};

use async_trait::async_trait;
use sqlx::postgres::PgConnection;
use sqlx::{Connection as _, Row};
use steadfast::Reason;
use uuid::Uuid;

use super::row::{column, int};
use super::{Postgres, history};
use crate::engine::Settle;
use crate::engine::row::signed;
use crate::engine::time::{Time, micros};
use crate::error::Result;
use crate::events::notifier::PendingWakes;
use crate::queue::settle::{Settled, Settlement, Verdict};

const LOCK_LEASES: &str = "SELECT version FROM steadfast.leases \
     WHERE version = ANY ($1::bigint[]) ORDER BY version FOR UPDATE";

/// The accepted tasks with their fencing tokens.
type Accepted = HashSet<(Uuid, i64)>;

#[async_trait]
impl Settle for Postgres {
    async fn settle(&self, settlements: Vec<Settlement>) -> Result<Vec<Settled>> {
        let settle = async {
            // Of two settlements of one task only the first counts.
            let mut seen = Accepted::with_capacity(settlements.len());
            let first: Vec<bool> = settlements.iter().map(|one| seen.insert(key(one))).collect();
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
                    let (_, _, leases) = keys(&settlements.iter().collect::<Vec<_>>());
                    let lock = sqlx::query(LOCK_LEASES).bind(leases);
                    lock.execute(&mut *transaction).await?;
                    complete(&mut transaction, &completed, &mut accepted).await?;
                }
                let wakes = settle_others(&mut transaction, &others, &mut accepted).await?;
                transaction.commit().await?;
                self.notifier.notify_all(wakes);
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

fn key(settlement: &Settlement) -> (Uuid, i64) {
    (settlement.id.uuid(), settlement.fencing_token.0)
}

/// The ids, the fencing tokens, and the distinct leases in order.
fn keys(settlements: &[&Settlement]) -> (Vec<Uuid>, Vec<i64>, Vec<i64>) {
    let (ids, tokens): (Vec<_>, Vec<_>) = settlements.iter().map(|one| key(one)).unzip();
    let leases: BTreeSet<i64> = tokens.iter().copied().collect();
    (ids, tokens, leases.into_iter().collect())
}

async fn complete(
    connection: &mut PgConnection,
    completed: &[&Settlement],
    accepted: &mut Accepted,
) -> Result<()> {
    let (ids, tokens, leases) = keys(completed);
    let rows = sqlx::query(include_str!("sql/complete.sql"))
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

async fn settle_others(
    connection: &mut PgConnection,
    others: &[&Settlement],
    accepted: &mut Accepted,
) -> Result<PendingWakes> {
    let (ids, tokens, leases) = keys(others);
    let progress = |one: &&Settlement| one.verdict.progress().copied();
    let rows = sqlx::query(include_str!("sql/settle.sql"))
        .bind(ids)
        .bind(tokens)
        .bind(leases)
        .bind(column(others, |one| micros(one.verdict.delay())))
        .bind(column(others, |one| one.verdict.reason().map(Reason::name)))
        .bind(column(others, |one| progress(one).map(|progress| int(progress.attempts))))
        .bind(column(others, |one| progress(one).map(|progress| int(progress.rate_limit_waits))))
        .bind(column(others, |one| progress(one).map(|progress| signed(progress.previous))))
        .bind(column(others, |one| one.verdict.fault().map(|fault| fault.class.name())))
        .bind(column(others, |one| one.verdict.fault().map(|fault| fault.message.as_str())))
        .bind(column(others, |one| one.verdict.holds_category()))
        .fetch_all(&mut *connection)
        .await?;
    let mut wakes = PendingWakes::default();
    for row in &rows {
        accepted.insert((row.try_get(0)?, row.try_get(1)?));
        wakes.note(row.try_get::<Time, _>(2)?.0, false);
    }
    if others.iter().any(|one| one.verdict.holds_category()) {
        sqlx::query(include_str!("sql/hold_pending.sql")).execute(&mut *connection).await?;
    }
    let faults = others.iter().filter(|one| accepted.contains(&key(one)));
    let faults = faults.filter_map(|one| Some((one.id, one.verdict.fault()?)));
    history::add(connection, faults.collect()).await?;
    if others.iter().any(|one| is_pending_again(&one.verdict)) {
        wakes.merge(PendingWakes::pending());
    }
    Ok(wakes)
}

fn is_pending_again(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Released)
        || matches!(verdict, Verdict::Retry { delay, .. } if delay.is_zero())
}
