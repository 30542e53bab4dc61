//! Writing new tasks (D9).
//!
//! Tasks that differ only in id and payload are inserted by one statement that fails on a
//! conflict. All others, and those that failed that way, are inserted by a statement that reports
//! conflicts row by row.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use async_trait::async_trait;
use sqlx::{Connection as _, PgConnection, Row};
use uuid::Uuid;

use super::Postgres;
use super::row::{column, encode};
use super::time::{Time, micros};
use crate::engine::{Connection, PendingWakes, Submit, Submitted};
use crate::error::{InputError, Result, StoreError};
use crate::queue::submit::CheckedTask;
use crate::queue::uniform_batch::template;
use crate::task::{Draft, FaultRecord, TaskId, When};

const SUBMIT_UNIFORM: &str = include_str!("sql/submit_uniform.sql");
const SUBMIT: &str = include_str!("sql/submit.sql");
const SUBMIT_EXISTING: &str = include_str!("sql/submit_existing.sql");

#[async_trait]
impl Submit for Postgres {
    async fn submit(&self, mut tasks: Vec<CheckedTask>) -> Result<Vec<Submitted>> {
        if tasks.is_empty() {
            return Ok(Vec::new());
        }
        let submit = async {
            let numbers = self.numbers(&tasks.iter().collect::<Vec<_>>()).await?;
            let single = match &*numbers {
                [number] => tasks.pop_if(|task| task.is_plain()).map(|task| (task, *number)),
                _ => None,
            };
            let (submitted, wakes) = match single {
                Some((task, number)) => {
                    let (submitted, wakes) = self.submit_batcher.submit(task, number).await?;
                    (vec![submitted], wakes)
                }
                None => {
                    let tasks: Vec<&CheckedTask> = tasks.iter().collect();
                    write(&mut *self.pool.acquire().await?, &tasks, &numbers).await?
                }
            };
            self.notifier.notify_all(wakes);
            Ok(submitted)
        };
        self.deadline.short(submit).await
    }

    async fn submit_within(
        &self,
        connection: Connection<'_>,
        tasks: Vec<CheckedTask>,
    ) -> Result<Vec<Submitted>> {
        let Connection::Postgres(connection) = connection else {
            let problem = "must be to PostgreSQL, like this store";
            return Err(InputError::new("connection", problem).into());
        };
        if tasks.is_empty() {
            return Ok(Vec::new());
        }
        let tasks: Vec<&CheckedTask> = tasks.iter().collect();
        let numbers = self.numbers(&tasks).await?;
        let savepoint = sqlx::query("SAVEPOINT steadfast").execute(&mut *connection).await;
        savepoint.map_err(savepoint_error)?;
        let written = insert_new(connection, &tasks, &numbers).await;
        if written.is_err() {
            sqlx::query("ROLLBACK TO SAVEPOINT steadfast").execute(&mut *connection).await?;
        }
        sqlx::query("RELEASE SAVEPOINT steadfast").execute(connection).await?;
        written.map(|(submitted, _)| submitted)
    }
}

impl Postgres {
    /// The numbers of each task's queue and policy. Most tasks of a batch share both.
    pub(super) async fn numbers(&self, tasks: &[&CheckedTask]) -> Result<Vec<TaskNumbers>> {
        let mut last: Option<(&CheckedTask, TaskNumbers)> = None;
        let mut all = Vec::with_capacity(tasks.len());
        for task in tasks.iter().copied() {
            let policy = match last {
                Some((other, numbers)) if Arc::ptr_eq(&other.policy, &task.policy) => {
                    numbers.policy
                }
                _ => self.names.policy(&self.pool, &task.policy).await?,
            };
            let queue = match last {
                Some((other, numbers)) if other.draft.queue == task.draft.queue => numbers.queue,
                _ => self.names.queue(&self.pool, &task.draft.queue).await?,
            };
            let numbers = TaskNumbers { queue, policy };
            last = Some((task, numbers));
            all.push(numbers);
        }
        Ok(all)
    }
}

/// The numbers of a task's queue and policy.
#[derive(Clone, Copy, Debug)]
pub(super) struct TaskNumbers {
    queue: i32,
    policy: i32,
}

/// Writes tasks in their own transaction.
pub(super) async fn write(
    connection: &mut PgConnection,
    tasks: &[&CheckedTask],
    numbers: &[TaskNumbers],
) -> Result<(Vec<Submitted>, PendingWakes)> {
    if let (Some(template), Some(numbers)) = (template(tasks.iter().copied()), numbers.first()) {
        match insert_uniform(connection, tasks, template, *numbers).await {
            Ok(wakes) => {
                let submitted = tasks.iter().map(|task| Submitted::new(task.draft.id));
                return Ok((submitted.collect(), wakes));
            }
            Err(error) if is_conflict(&error) => {}
            Err(error) => return Err(error),
        }
    }
    let mut transaction = connection.begin().await?;
    let answer = insert_new(&mut transaction, tasks, numbers).await?;
    transaction.commit().await?;
    Ok(answer)
}

/// The SQLSTATE of a savepoint outside a transaction.
const NO_TRANSACTION: &str = "25P01";

fn savepoint_error(error: sqlx::Error) -> StoreError {
    let code = error.as_database_error().and_then(|error| error.code());
    if code.as_deref() == Some(NO_TRANSACTION) {
        return InputError::new("connection", "has no open transaction; begin one first").into();
    }
    error.into()
}

fn is_conflict(error: &StoreError) -> bool {
    let StoreError::Database(error) = error else {
        return false;
    };
    error.as_database_error().is_some_and(|error| error.is_unique_violation())
}

/// A time as the statements take it: absolute, or in microseconds from their `now()`.
pub(super) fn split(when: Option<When>) -> (Option<Time>, Option<i64>) {
    match when {
        None => (None, None),
        Some(When::Now) => (None, Some(0)),
        Some(When::After(delay)) => (None, Some(micros(delay))),
        Some(When::At(time)) => (Some(Time(time)), None),
    }
}

async fn insert_uniform(
    connection: &mut PgConnection,
    tasks: &[&CheckedTask],
    template: &CheckedTask,
    number: TaskNumbers,
) -> Result<PendingWakes> {
    let draft = &template.draft;
    let (run_at, run_after) = split(Some(draft.run));
    let (expires_at, expires_after) = split(draft.expires);
    let ids: Vec<Uuid> = tasks.iter().map(|task| task.draft.id.uuid()).collect();
    let payloads: Vec<&str> = tasks.iter().map(|task| task.draft.payload.as_str()).collect();
    let row = sqlx::query(SUBMIT_UNIFORM)
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
    let mut wakes = PendingWakes::default();
    wakes.note(row.try_get::<Time, _>(0)?.0, row.try_get(1)?);
    Ok(wakes)
}

/// The columns of new tasks, as `unnest` takes them.
#[derive(Default)]
struct TaskColumns<'t> {
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

impl<'t> TaskColumns<'t> {
    fn push(&mut self, task: &'t CheckedTask, numbers: TaskNumbers) {
        let (draft, prior): (&Draft, _) = (&task.draft, &task.prior);
        let (run_at, run_after) = split(Some(draft.run));
        let (expires_at, expires_after) = split(draft.expires);
        let last = prior.faults.last();
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
        self.attempts.push(column(prior.progress.attempts));
        self.waits.push(column(prior.progress.rate_limit_waits));
        self.previous.push(i64::try_from(prior.progress.previous).unwrap_or(i64::MAX));
        self.classes.push(last.map(|fault| fault.class.name()));
        self.messages.push(last.map(|fault| fault.message.as_str()));
        self.reasons.push(prior.ended.map(|reason| reason.name()));
    }
}

/// Inserts the tasks that do not exist yet, and returns the answer for each.
pub(super) async fn insert_new(
    connection: &mut PgConnection,
    tasks: &[&CheckedTask],
    numbers: &[TaskNumbers],
) -> Result<(Vec<Submitted>, PendingWakes)> {
    let is_first = first_by_id(tasks)?;
    let numbered = tasks.iter().copied().zip(numbers.iter().copied());
    let mut left: Vec<(&CheckedTask, TaskNumbers)> =
        numbered.zip(&is_first).filter(|(_, is_first)| **is_first).map(|(one, _)| one).collect();
    let mut wakes = PendingWakes::default();
    let mut older = HashMap::new();
    // A task that conflicted and is no longer there was pruned in between, so it is tried again.
    while !left.is_empty() {
        let fresh = insert(connection, &left, &mut wakes).await?;
        let (new, old): (Vec<_>, Vec<_>) =
            left.into_iter().partition(|(task, _)| fresh.contains(&task.draft.id));
        add_faults(connection, &tasks_of(&new)).await?;
        let found = existing_tasks(connection, &tasks_of(&old)).await?;
        left = old.into_iter().filter(|(task, _)| !found.contains_key(&task.draft.id)).collect();
        older.extend(found);
    }
    let answer = |(task, is_first): (&CheckedTask, &bool)| match older.get(&task.draft.id) {
        Some(id) => Submitted::existing(*id),
        None => Submitted { id: task.draft.id, existed: !is_first },
    };
    Ok((tasks.iter().copied().zip(&is_first).map(answer).collect(), wakes))
}

/// Marks the first task of each id: a task that is twice in a batch is one task.
fn first_by_id<'t>(tasks: &[&'t CheckedTask]) -> Result<Vec<bool>> {
    let mut seen: HashMap<TaskId, &'t CheckedTask> = HashMap::with_capacity(tasks.len());
    let is_first = |task: &'t CheckedTask| match seen.insert(task.draft.id, task) {
        Some(first) if !first.has_same_work(task) => Err(StoreError::IdTaken(task.draft.id)),
        first => Ok(first.is_none()),
    };
    tasks.iter().copied().map(is_first).collect()
}

fn tasks_of<'t>(numbered: &[(&'t CheckedTask, TaskNumbers)]) -> Vec<&'t CheckedTask> {
    numbered.iter().map(|(task, _)| *task).collect()
}

/// Inserts the tasks without a conflict, and returns their ids.
async fn insert(
    connection: &mut PgConnection,
    tasks: &[(&CheckedTask, TaskNumbers)],
    wakes: &mut PendingWakes,
) -> Result<HashSet<TaskId>> {
    let mut columns = TaskColumns::default();
    tasks.iter().for_each(|(task, numbers)| columns.push(task, *numbers));
    let rows = sqlx::query(SUBMIT)
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
        wakes.note(row.try_get::<Time, _>(1)?.0, row.try_get(2)?);
    }
    Ok(fresh)
}

async fn add_faults(connection: &mut PgConnection, tasks: &[&CheckedTask]) -> Result<()> {
    let faults =
        tasks.iter().flat_map(|task| task.prior.faults.iter().map(|fault| (task.draft.id, fault)));
    insert_faults(connection, faults.collect()).await
}

/// Adds faults to the histories of tasks.
pub(super) async fn insert_faults(
    connection: &mut PgConnection,
    faults: Vec<(TaskId, &FaultRecord)>,
) -> Result<()> {
    let (mut ids, mut records) = (Vec::new(), Vec::new());
    for (id, fault) in faults {
        ids.push(id.uuid());
        records.push(encode(fault)?);
    }
    if ids.is_empty() {
        return Ok(());
    }
    let insert = "INSERT INTO steadfast.faults (task, at, record) \
         SELECT g.task, now(), g.record::json FROM unnest($1::uuid[], $2::text[]) \
         WITH ORDINALITY AS g (task, record, place) ORDER BY g.place";
    sqlx::query(insert).bind(ids).bind(records).execute(connection).await?;
    Ok(())
}

/// The existing tasks, by the ids that they were submitted under.
async fn existing_tasks(
    connection: &mut PgConnection,
    tasks: &[&CheckedTask],
) -> Result<HashMap<TaskId, TaskId>> {
    if tasks.is_empty() {
        return Ok(HashMap::new());
    }
    let drafts = || tasks.iter().map(|task| &task.draft);
    let rows = sqlx::query(SUBMIT_EXISTING)
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
