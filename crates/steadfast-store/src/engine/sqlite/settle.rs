//! Writing what became of claimed tasks (D4, D8, D17).
//!
//! A settlement holds only if its task is in the hands of that very lease. That is looked up
//! first, for the whole batch; what is left moves, kind by kind, in a few statements however
//! many tasks there are. A task that is settled leaves its lease in the same transaction, so a
//! second word on it finds nobody who may speak.

use std::collections::{HashMap, HashSet};

use sqlx::SqliteConnection;

use super::history::{self, Step};
use super::pending_wakes::News;
use super::row::{Hex, after, ids, json, read};
use super::transitions::{self, Ending};
use crate::error::Result;
use crate::queue::settle::{Settled, Settlement, Verdict};
use crate::task::TaskId;

const HELD: &str = include_str!("sql/settle_held.sql");
const HOLD: &str = include_str!("sql/hold_add.sql");
const HOLD_READY: &str = include_str!("sql/hold_ready.sql");

/// How many bytes of results are written in one statement.
const BYTES_AT_ONCE: usize = 16 << 20;

/// Writes what became of tasks at this time.
pub(super) async fn write(
    connection: &mut SqliteConnection,
    settlements: &[Settlement],
    now: i64,
) -> Result<(Vec<Settled>, News)> {
    let held = held(connection, settlements).await?;
    let mut answers = vec![Settled::Stale; settlements.len()];
    let mut moves = Moves::default();
    let mut leases = HashMap::new();
    let mut settled = HashSet::new();
    for place in held {
        let Some((settlement, answer)) = settlements.get(place).zip(answers.get_mut(place)) else {
            continue;
        };
        if settled.insert(settlement.id) {
            *answer = Settled::Accepted;
            *leases.entry(settlement.version.0).or_insert(0) += 1;
            moves.add(settlement, now);
        }
    }
    if settled.is_empty() {
        return Ok((answers, moves.news));
    }
    let leases: Vec<_> = leases.into_iter().collect();
    transitions::leave_running(connection, &ids(settled)?, &leases).await?;
    let news = moves.news;
    moves.write(connection, now).await?;
    Ok((answers, news))
}

/// Which of them speak for a lease that has their task.
async fn held(connection: &mut SqliteConnection, all: &[Settlement]) -> Result<Vec<usize>> {
    let claims: Vec<_> = all.iter().map(|one| (Hex(one.id), one.version)).collect();
    let held: String = sqlx::query_scalar(HELD).bind(json(&claims)?).fetch_one(connection).await?;
    let mut held: Vec<usize> = read(&held)?;
    held.sort_unstable();
    Ok(held)
}

/// Where tasks go.
#[derive(Default)]
struct Moves<'s> {
    steps: Vec<Step<'s>>,
    endings: Vec<Ending<'s>>,
    due: Vec<(Hex, i64)>,
    held: Vec<(Hex, i64)>,
    back: Vec<TaskId>,
    news: News,
}

impl<'s> Moves<'s> {
    fn add(&mut self, settlement: &'s Settlement, now: i64) {
        let id = settlement.id;
        match &settlement.verdict {
            Verdict::Completed { result } => {
                self.endings.push(Ending::completed(id, result.as_deref()));
            }
            Verdict::Retry { fault, progress, delay, hold } => {
                self.steps.push(Step { id, progress: *progress, fault: Some(fault) });
                self.put_back(id, after(now, *delay), now);
                if *hold {
                    self.held.push((Hex(id), after(now, *delay)));
                }
            }
            Verdict::Failed { fault, progress, reason } => {
                self.steps.push(Step { id, progress: *progress, fault: fault.as_deref() });
                self.endings.push(Ending::failed(id, *reason));
            }
            Verdict::Postponed { delay } => self.put_back(id, after(now, *delay), now),
            Verdict::Released => {
                self.back.push(id);
                self.news.note(now, now);
            }
        }
    }

    fn put_back(&mut self, id: TaskId, due_at: i64, now: i64) {
        self.due.push((Hex(id), due_at));
        self.back.push(id);
        self.news.note(due_at, now);
    }

    /// Faults come first, because an ending says whether there are any; holds come before the
    /// times that they change.
    async fn write(self, connection: &mut SqliteConnection, now: i64) -> Result<()> {
        if !self.steps.is_empty() {
            history::add(connection, &self.steps, now).await?;
        }
        for endings in chunks(&self.endings) {
            transitions::end(connection, endings, now).await?;
        }
        if !self.held.is_empty() {
            hold(connection, &self.held, now).await?;
        }
        if !self.due.is_empty() {
            transitions::set_due(connection, &self.due, now).await?;
        }
        if !self.back.is_empty() {
            transitions::enter(connection, &ids(self.back)?, now).await?;
        }
        Ok(())
    }
}

/// Splits what would be too long for one statement.
fn chunks<'e, 'r>(mut endings: &'e [Ending<'r>]) -> Vec<&'e [Ending<'r>]> {
    let mut chunks = Vec::new();
    while !endings.is_empty() {
        let mut bytes = 0;
        let fits = |ending: &&Ending<'_>| {
            bytes += ending.bytes();
            bytes <= BYTES_AT_ONCE
        };
        let count = endings.iter().take_while(fits).count().max(1);
        let (chunk, rest) = endings.split_at(count);
        chunks.push(chunk);
        endings = rest;
    }
    chunks
}

/// Has the categories of tasks wait as long as these do (D17).
async fn hold(connection: &mut SqliteConnection, by: &[(Hex, i64)], now: i64) -> Result<()> {
    let by = json(&by)?;
    sqlx::query(HOLD).bind(&by).execute(&mut *connection).await?;
    let ready: String =
        sqlx::query_scalar(HOLD_READY).bind(&by).fetch_one(&mut *connection).await?;
    let ready: Vec<Hex> = read(&ready)?;
    if ready.is_empty() {
        return Ok(());
    }
    let list = json(&ready)?;
    transitions::leave(connection, &list).await?;
    let due: Vec<_> = ready.into_iter().map(|id| (id, now)).collect();
    transitions::set_due(connection, &due, now).await?;
    transitions::enter(connection, &list, now).await
}
