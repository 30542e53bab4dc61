//! Writing the outcomes of attempts (D4, D8, D17).
//!
//! A settlement is accepted only if its lease holds the task. That is read first, for the whole
//! batch; the accepted ones are written by kind in a few statements. A settled task leaves its
//! lease in the same transaction, so a second settlement of it is stale.

use std::collections::{HashMap, HashSet};

use async_trait::async_trait;
use sqlx::SqliteConnection;

use super::Sqlite;
use super::history::{self, Step};
use super::row::{Hex, after, chunks, encode, fetch_json, ids, timestamp};
use super::transitions::{self, Ending};
use super::writer::job;
use crate::engine::Settle;
use crate::error::Result;
use crate::events::notifier::PendingWakes;
use crate::queue::settle::{Settled, Settlement, Verdict};
use crate::task::TaskId;

#[async_trait]
impl Settle for Sqlite {
    async fn settle(&self, settlements: Vec<Settlement>) -> Result<Vec<Settled>> {
        let settle = job!(|connection, now| settle(connection, &settlements, now).await);
        let (answers, wakes) = self.writer.run(settle).await?;
        self.notifier.notify_all(wakes);
        Ok(answers)
    }
}

async fn settle(
    connection: &mut SqliteConnection,
    settlements: &[Settlement],
    now: i64,
) -> Result<(Vec<Settled>, PendingWakes)> {
    let held = held(connection, settlements).await?;
    let mut answers = vec![Settled::Stale; settlements.len()];
    let mut changes = Changes::default();
    let mut leases = HashMap::new();
    let mut settled = HashSet::new();
    for index in held {
        let Some((settlement, answer)) = settlements.get(index).zip(answers.get_mut(index)) else {
            continue;
        };
        if settled.insert(settlement.id) {
            *answer = Settled::Accepted;
            *leases.entry(settlement.fencing_token.0).or_insert(0) += 1;
            changes.add(settlement, now)?;
        }
    }
    if settled.is_empty() {
        return Ok((answers, changes.wakes));
    }
    let leases: Vec<_> = leases.into_iter().collect();
    transitions::remove_running(connection, &ids(settled)?, &leases).await?;
    let wakes = changes.wakes;
    changes.write(connection, now).await?;
    Ok((answers, wakes))
}

/// The indexes of the settlements whose lease holds their task.
async fn held(connection: &mut SqliteConnection, all: &[Settlement]) -> Result<Vec<usize>> {
    let claims: Vec<_> = all.iter().map(|one| (Hex(one.id), one.fencing_token)).collect();
    let held = sqlx::query(include_str!("sql/settle_held.sql")).bind(encode(&claims)?);
    let mut held: Vec<usize> = fetch_json(connection, held).await?;
    held.sort_unstable();
    Ok(held)
}

/// The changes of accepted settlements, by kind.
#[derive(Default)]
struct Changes<'s> {
    steps: Vec<Step<'s>>,
    endings: Vec<Ending<'s>>,
    due: Vec<(Hex, i64)>,
    held: Vec<(Hex, i64)>,
    requeued: Vec<TaskId>,
    wakes: PendingWakes,
}

impl<'s> Changes<'s> {
    fn add(&mut self, settlement: &'s Settlement, now: i64) -> Result<()> {
        let id = settlement.id;
        match &settlement.verdict {
            Verdict::Completed { result } => {
                self.endings.push(Ending::completed(id, result.as_deref()));
            }
            Verdict::Retry { fault, progress, delay, hold } => {
                self.steps.push(Step::new(id, progress, Some(fault))?);
                self.requeue(id, after(now, *delay), now);
                if *hold {
                    self.held.push((Hex(id), after(now, *delay)));
                }
            }
            Verdict::Failed { fault, progress, reason } => {
                self.steps.push(Step::new(id, progress, fault.as_deref())?);
                self.endings.push(Ending::failed(id, *reason));
            }
            Verdict::Postponed { delay } => self.requeue(id, after(now, *delay), now),
            Verdict::Released => {
                self.requeued.push(id);
                self.wakes.note(timestamp(now), true);
            }
        }
        Ok(())
    }

    fn requeue(&mut self, id: TaskId, due_at: i64, now: i64) {
        self.due.push((Hex(id), due_at));
        self.requeued.push(id);
        self.wakes.note(timestamp(due_at), due_at <= now);
    }

    /// Faults come first, because an ending row says whether there are any; holds come before the
    /// due times that they change.
    async fn write(self, connection: &mut SqliteConnection, now: i64) -> Result<()> {
        if !self.steps.is_empty() {
            history::add(connection, &self.steps, now).await?;
        }
        for endings in chunks(&self.endings, usize::MAX, Ending::bytes) {
            transitions::end(connection, endings, now).await?;
        }
        if !self.held.is_empty() {
            hold(connection, &self.held, now).await?;
        }
        if !self.due.is_empty() {
            transitions::set_due(connection, &self.due, now).await?;
        }
        if !self.requeued.is_empty() {
            transitions::enqueue(connection, &ids(self.requeued)?, now).await?;
        }
        Ok(())
    }
}

/// Holds the categories of tasks until these times (D17).
async fn hold(connection: &mut SqliteConnection, until: &[(Hex, i64)], now: i64) -> Result<()> {
    let until = encode(&until)?;
    sqlx::query(include_str!("sql/hold.sql")).bind(&until).execute(&mut *connection).await?;
    let pending = sqlx::query(include_str!("sql/hold_pending.sql")).bind(&until);
    let pending: Vec<Hex> = fetch_json(connection, pending).await?;
    if pending.is_empty() {
        return Ok(());
    }
    let list = encode(&pending)?;
    transitions::remove_queued(connection, &list).await?;
    let due: Vec<_> = pending.into_iter().map(|id| (id, now)).collect();
    transitions::set_due(connection, &due, now).await?;
    transitions::enqueue(connection, &list, now).await
}
