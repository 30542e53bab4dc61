//! Taking tasks in.
//!
//! Two ways. Tasks that are alike go by one statement that assumes the best. Everything else,
//! and what that statement refuses because it was there already, goes the careful way.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use jiff::Timestamp;
use sqlx::{Connection as _, PgConnection, Row};
use uuid::Uuid;

use super::Postgres;
use super::row::column;
use super::time::{Time, micros};
use crate::engine::{Connection, Submitted};
use crate::error::{Invalid, Result, StoreError};
use crate::queue::submit::Admission;
use crate::queue::uniform_batch::pattern;
use crate::task::{Draft, TaskId, When};

const ALIKE: &str = include_str!("sql/submit_alike.sql");
const CAREFUL: &str = include_str!("sql/submit.sql");
const BEFORE: &str = include_str!("sql/submitted_before.sql");
const FAULTS: &str = include_str!("sql/add_faults.sql");

/// What was written, for those who wait for it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Written {
    pub(super) ready: bool,
    pub(super) due: Option<Timestamp>,
}

impl Written {
    fn add(&mut self, at: Timestamp, is_ready: bool) {
        self.ready |= is_ready;
        if !is_ready {
            self.due = Some(self.due.map_or(at, |due| due.min(at)));
        }
    }
}

impl Postgres {
    pub(super) async fn submit_tasks(&self, mut tasks: Vec<Admission>) -> Result<Vec<Submitted>> {
        if tasks.is_empty() {
            return Ok(Vec::new());
        }
        let numbers = self.numbers(&tasks.iter().collect::<Vec<_>>()).await?;
        let alone = match &*numbers {
            [number] => tasks.pop_if(|task| task.is_plain()).map(|task| (task, *number)),
            _ => None,
        };
        let (submitted, written) = match alone {
            Some((task, number)) => {
                let (submitted, written) = self.desk.submit(task, number).await?;
                (vec![submitted], written)
            }
            None => {
                let tasks: Vec<&Admission> = tasks.iter().collect();
                write(&mut *self.pool.acquire().await?, &tasks, &numbers).await?
            }
        };
        self.announcer.tell_written(written.ready, written.due);
        Ok(submitted)
    }

    pub(super) async fn submit_on(
        &self,
        connection: Connection<'_>,
        tasks: Vec<Admission>,
    ) -> Result<Vec<Submitted>> {
        let Connection::Postgres(connection) = connection else {
            let problem = "this store is on PostgreSQL, and the connection is not";
            return Err(Invalid::new("connection", problem).into());
        };
        if tasks.is_empty() {
            return Ok(Vec::new());
        }
        let tasks: Vec<&Admission> = tasks.iter().collect();
        let numbers = self.numbers(&tasks).await?;
        sqlx::query("SAVEPOINT steadfast").execute(&mut *connection).await.map_err(no_savepoint)?;
        let written = submit_carefully(connection, &tasks, &numbers).await;
        if written.is_err() {
            sqlx::query("ROLLBACK TO SAVEPOINT steadfast").execute(&mut *connection).await?;
        }
        sqlx::query("RELEASE SAVEPOINT steadfast").execute(connection).await?;
        written.map(|(submitted, _)| submitted)
    }

    /// The numbers of each task's queue and policy. Batches have few different ones.
    pub(super) async fn numbers(&self, tasks: &[&Admission]) -> Result<Vec<Numbers>> {
        let mut last: Option<(&Admission, Numbers)> = None;
        let mut numbers = Vec::with_capacity(tasks.len());
        for task in tasks.iter().copied() {
            let policy = match last {
                Some((other, known)) if Arc::ptr_eq(&other.policy, &task.policy) => known.policy,
                _ => self.names.policy(&self.pool, &task.policy).await?,
            };
            let queue = match last {
                Some((other, known)) if other.draft.queue == task.draft.queue => known.queue,
                _ => self.names.queue(&self.pool, &task.draft.queue).await?,
            };
            let known = Numbers { queue, policy };
            last = Some((task, known));
            numbers.push(known);
        }
        Ok(numbers)
    }
}

/// Writes tasks in a transaction of their own.
pub(super) async fn write(
    connection: &mut PgConnection,
    tasks: &[&Admission],
    numbers: &[Numbers],
) -> Result<(Vec<Submitted>, Written)> {
    if let (Some(pattern), Some(numbers)) = (pattern(tasks.iter().copied()), numbers.first()) {
        match submit_alike(connection, tasks, pattern, *numbers).await {
            Ok(written) => {
                return Ok((tasks.iter().map(|task| new(task.draft.id)).collect(), written));
            }
            Err(error) if is_conflict(&error) => {}
            Err(error) => return Err(error),
        }
    }
    let mut transaction = connection.begin().await?;
    let answer = submit_carefully(&mut transaction, tasks, numbers).await?;
    transaction.commit().await?;
    Ok(answer)
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Numbers {
    queue: i32,
    policy: i32,
}

const fn new(id: TaskId) -> Submitted {
    Submitted { id, existed: false }
}

/// PostgreSQL's words for a savepoint outside a transaction.
const NO_TRANSACTION: &str = "25P01";

fn no_savepoint(error: sqlx::Error) -> StoreError {
    let code = error.as_database_error().and_then(|error| error.code());
    if code.as_deref() == Some(NO_TRANSACTION) {
        return Invalid::new("connection", "has no transaction begun; begin one first").into();
    }
    error.into()
}

fn is_conflict(error: &StoreError) -> bool {
    let StoreError::Database(sqlx::Error::Database(error)) = error else {
        return false;
    };
    error.is_unique_violation()
}

/// A time as the statements take it: absolute, or so many microseconds from their now.
pub(super) fn split(when: Option<When>) -> (Option<Time>, Option<i64>) {
    match when {
        None => (None, None),
        Some(When::Now) => (None, Some(0)),
        Some(When::After(delay)) => (None, Some(micros(delay))),
        Some(When::At(time)) => (Some(Time(time)), None),
    }
}

async fn submit_alike(
    connection: &mut PgConnection,
    tasks: &[&Admission],
    pattern: &Admission,
    number: Numbers,
) -> Result<Written> {
    let draft = &pattern.draft;
    let (run_at, run_after) = split(Some(draft.run));
    let (expires_at, expires_after) = split(draft.expires);
    let ids: Vec<Uuid> = tasks.iter().map(|task| task.draft.id.uuid()).collect();
    let payloads: Vec<&str> = tasks.iter().map(|task| task.draft.payload.as_str()).collect();
    let row = sqlx::query(ALIKE)
        .bind(ids)
        .bind(payloads)
        .bind(&draft.kind)
        .bind(number.queue)
        .bind(&draft.category)
        .bind(draft.priority)
        .bind(number.policy)
        .bind(run_at)
        .bind(run_after)
        .bind(expires_at)
        .bind(expires_after)
        .bind(draft.hold_category)
        .fetch_one(connection)
        .await?;
    let mut written = Written::default();
    written.add(row.try_get::<Time, _>(0)?.0, row.try_get(1)?);
    Ok(written)
}

/// Column by column, as `unnest` wants them.
#[derive(Default)]
struct Columns<'t> {
    ids: Vec<Uuid>,
    kinds: Vec<&'t str>,
    payloads: Vec<&'t str>,
    queues: Vec<i32>,
    categories: Vec<Option<&'t str>>,
    priorities: Vec<i16>,
    policies: Vec<i32>,
    run_at: Vec<Option<Time>>,
    run_after: Vec<Option<i64>>,
    expires_at: Vec<Option<Time>>,
    expires_after: Vec<Option<i64>>,
    keys: Vec<Option<&'t str>>,
    correlations: Vec<Option<&'t str>>,
    holds: Vec<bool>,
    attempts: Vec<i32>,
    waits: Vec<i32>,
    previous: Vec<i64>,
    classes: Vec<Option<&'static str>>,
    messages: Vec<Option<&'t str>>,
    reasons: Vec<Option<&'static str>>,
}

impl<'t> Columns<'t> {
    fn push(&mut self, task: &'t Admission, numbers: Numbers) {
        let (draft, start): (&Draft, _) = (&task.draft, &task.head_start);
        let (run_at, run_after) = split(Some(draft.run));
        let (expires_at, expires_after) = split(draft.expires);
        let last = start.faults.last();
        self.ids.push(draft.id.uuid());
        self.kinds.push(&draft.kind);
        self.payloads.push(&draft.payload);
        self.queues.push(numbers.queue);
        self.categories.push(draft.category.as_deref());
        self.priorities.push(draft.priority);
        self.policies.push(numbers.policy);
        self.run_at.push(run_at);
        self.run_after.push(run_after);
        self.expires_at.push(expires_at);
        self.expires_after.push(expires_after);
        self.keys.push(draft.key.as_deref());
        self.correlations.push(draft.correlation_id.as_deref());
        self.holds.push(draft.hold_category);
        self.attempts.push(column(start.progress.attempts));
        self.waits.push(column(start.progress.rate_limit_waits));
        self.previous.push(i64::try_from(start.progress.previous).unwrap_or(i64::MAX));
        self.classes.push(last.map(|fault| fault.class.name()));
        self.messages.push(last.map(|fault| fault.message.as_str()));
        self.reasons.push(start.ended.map(|reason| reason.name()));
    }
}

pub(super) async fn submit_carefully(
    connection: &mut PgConnection,
    tasks: &[&Admission],
    numbers: &[Numbers],
) -> Result<(Vec<Submitted>, Written)> {
    let is_first = first_of_their_ids(tasks)?;
    let numbered = tasks.iter().copied().zip(numbers.iter().copied());
    let mut left: Vec<(&Admission, Numbers)> =
        numbered.zip(&is_first).filter(|(_, is_first)| **is_first).map(|(one, _)| one).collect();
    let mut written = Written::default();
    let mut older = HashMap::new();
    // What was in the way of one and is gone when it is looked for was pruned in this moment.
    while !left.is_empty() {
        let fresh = insert(connection, &left, &mut written).await?;
        let (new, old): (Vec<_>, Vec<_>) =
            left.into_iter().partition(|(task, _)| fresh.contains(&task.draft.id));
        add_faults(connection, &tasks_of(&new)).await?;
        let found = there_before(connection, &tasks_of(&old)).await?;
        left = old.into_iter().filter(|(task, _)| !found.contains_key(&task.draft.id)).collect();
        older.extend(found);
    }
    let answer = |(task, is_first): (&Admission, &bool)| match older.get(&task.draft.id) {
        Some(id) => Submitted { id: *id, existed: true },
        None => Submitted { id: task.draft.id, existed: !is_first },
    };
    Ok((tasks.iter().copied().zip(&is_first).map(answer).collect(), written))
}

/// Which are the first under their ids. Whoever sends one task twice in a batch means one task.
fn first_of_their_ids<'t>(tasks: &[&'t Admission]) -> Result<Vec<bool>> {
    let mut seen: HashMap<TaskId, &'t Admission> = HashMap::with_capacity(tasks.len());
    let is_first = |task: &'t Admission| match seen.insert(task.draft.id, task) {
        Some(first) if !first.is_same_work(task) => Err(StoreError::IdTaken(task.draft.id)),
        first => Ok(first.is_none()),
    };
    tasks.iter().copied().map(is_first).collect()
}

fn tasks_of<'t>(numbered: &[(&'t Admission, Numbers)]) -> Vec<&'t Admission> {
    numbered.iter().map(|(task, _)| *task).collect()
}

/// Inserts those that nothing is in the way of, and answers which these are.
async fn insert(
    connection: &mut PgConnection,
    tasks: &[(&Admission, Numbers)],
    written: &mut Written,
) -> Result<HashSet<TaskId>> {
    let mut columns = Columns::default();
    tasks.iter().for_each(|(task, numbers)| columns.push(task, *numbers));
    let rows = sqlx::query(CAREFUL)
        .bind(columns.ids)
        .bind(columns.kinds)
        .bind(columns.payloads)
        .bind(columns.queues)
        .bind(columns.categories)
        .bind(columns.priorities)
        .bind(columns.policies)
        .bind(columns.run_at)
        .bind(columns.run_after)
        .bind(columns.expires_at)
        .bind(columns.expires_after)
        .bind(columns.keys)
        .bind(columns.correlations)
        .bind(columns.holds)
        .bind(columns.attempts)
        .bind(columns.waits)
        .bind(columns.previous)
        .bind(columns.classes)
        .bind(columns.messages)
        .bind(columns.reasons)
        .fetch_all(connection)
        .await?;
    let mut fresh = HashSet::with_capacity(rows.len());
    for row in &rows {
        fresh.insert(row.try_get::<Uuid, _>(0)?.into());
        written.add(row.try_get::<Time, _>(1)?.0, row.try_get(2)?);
    }
    Ok(fresh)
}

async fn add_faults(connection: &mut PgConnection, tasks: &[&Admission]) -> Result<()> {
    let (mut ids, mut records) = (Vec::new(), Vec::new());
    for task in tasks {
        for fault in &task.head_start.faults {
            ids.push(task.draft.id.uuid());
            records.push(super::settle::written(fault)?);
        }
    }
    if ids.is_empty() {
        return Ok(());
    }
    sqlx::query(FAULTS).bind(ids).bind(records).execute(connection).await?;
    Ok(())
}

/// The tasks that were there already, by the ids that they were sent under.
async fn there_before(
    connection: &mut PgConnection,
    tasks: &[&Admission],
) -> Result<HashMap<TaskId, TaskId>> {
    if tasks.is_empty() {
        return Ok(HashMap::new());
    }
    let drafts = || tasks.iter().map(|task| &task.draft);
    let rows = sqlx::query(BEFORE)
        .bind(drafts().map(|draft| draft.id.uuid()).collect::<Vec<_>>())
        .bind(drafts().map(|draft| draft.key.as_deref()).collect::<Vec<_>>())
        .bind(drafts().map(|draft| draft.kind.as_str()).collect::<Vec<_>>())
        .bind(drafts().map(|draft| draft.payload.as_str()).collect::<Vec<_>>())
        .fetch_all(connection)
        .await?;
    let mut found = HashMap::with_capacity(rows.len());
    for row in rows {
        let existing: TaskId = row.try_get::<Uuid, _>(1)?.into();
        let sent: TaskId = row.try_get::<Uuid, _>(0)?.into();
        let is_same = row.try_get::<bool, _>(3)?;
        if !is_same && existing == sent {
            return Err(StoreError::IdTaken(existing));
        }
        if !is_same {
            let key = row.try_get::<Option<String>, _>(2)?.unwrap_or_default();
            return Err(StoreError::KeyTaken { key, existing });
        }
        found.insert(sent, existing);
    }
    Ok(found)
}
