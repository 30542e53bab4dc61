//! Writing new tasks (D9).
//!
//! Tasks that differ only in id and payload are inserted by one statement that fails on a
//! conflict. All others, and those that failed that way, are inserted by a statement that reports
//! conflicts row by row.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use async_trait::async_trait;
use sqlx::{Connection as _, PgConnection, Row};
use steadfast::Reason;
use uuid::Uuid;

use super::row::{column, int};
use super::{Postgres, history};
use crate::engine::row::signed;
use crate::engine::time::{Time, micros};
use crate::engine::{Connection, Submit, Submitted};
use crate::error::{InputError, Result, StoreError};
use crate::events::notifier::PendingWakes;
use crate::queue::submit::CheckedTask;
use crate::queue::uniform_batch::template;
use crate::task::{TaskId, When};

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
            if let Some((task, number)) = single {
                return Ok(vec![self.submit_batcher.submit(task, number).await?]);
            }
            let tasks: Vec<&CheckedTask> = tasks.iter().collect();
            let written = write(&mut *self.pool.acquire().await?, &tasks, &numbers).await;
            let (submitted, wakes) = written?;
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

#[derive(Clone, Copy, Debug)]
pub(super) struct TaskNumbers {
    queue: i32,
    policy: i32,
}

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

/// A time as the statements take it, if it is absolute.
pub(super) const fn absolute(when: When) -> Option<Time> {
    match when {
        When::At(time) => Some(Time(time)),
        When::Now | When::After(_) => None,
    }
}

/// The microseconds from the statement's `now()`, if it is relative.
pub(super) fn relative(when: When) -> Option<i64> {
    match when {
        When::Now => Some(0),
        When::After(delay) => Some(micros(delay)),
        When::At(_) => None,
    }
}

async fn insert_uniform(
    connection: &mut PgConnection,
    tasks: &[&CheckedTask],
    template: &CheckedTask,
    number: TaskNumbers,
) -> Result<PendingWakes> {
    let draft = &template.draft;
    let row = sqlx::query(include_str!("sql/submit_uniform.sql"))
        .bind(column(tasks, |task| task.draft.id.uuid()))
        .bind(column(tasks, |task| task.draft.payload.as_str()))
        .bind(&draft.kind)
        .bind(number.queue)
        .bind(&draft.category)
        .bind(draft.priority)
        .bind(number.policy)
        .bind(absolute(draft.run))
        .bind(relative(draft.run))
        .bind(draft.expires.and_then(absolute))
        .bind(draft.expires.and_then(relative))
        .bind(draft.hold_category)
        .fetch_one(connection)
        .await?;
    let mut wakes = PendingWakes::default();
    wakes.note(row.try_get::<Time, _>(0)?.0, row.try_get(1)?);
    Ok(wakes)
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
        let faults = new
            .iter()
            .flat_map(|(task, _)| task.prior.faults.iter().map(|fault| (task.draft.id, fault)));
        history::add(connection, faults.collect()).await?;
        let found = existing_tasks(connection, &old).await?;
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

/// Inserts the tasks without a conflict, and returns their ids.
async fn insert<'t>(
    connection: &mut PgConnection,
    tasks: &[(&'t CheckedTask, TaskNumbers)],
    wakes: &mut PendingWakes,
) -> Result<HashSet<TaskId>> {
    let last = |task: &'t CheckedTask| task.prior.faults.last();
    let rows = sqlx::query(include_str!("sql/submit.sql"))
        .bind(column(tasks, |(task, _)| task.draft.id.uuid()))
        .bind(column(tasks, |(task, _)| task.draft.kind.as_str()))
        .bind(column(tasks, |(task, _)| task.draft.payload.as_str()))
        .bind(column(tasks, |(_, numbers)| numbers.queue))
        .bind(column(tasks, |(task, _)| task.draft.category.as_deref()))
        .bind(column(tasks, |(task, _)| task.draft.priority))
        .bind(column(tasks, |(_, numbers)| numbers.policy))
        .bind(column(tasks, |(task, _)| absolute(task.draft.run)))
        .bind(column(tasks, |(task, _)| relative(task.draft.run)))
        .bind(column(tasks, |(task, _)| task.draft.expires.and_then(absolute)))
        .bind(column(tasks, |(task, _)| task.draft.expires.and_then(relative)))
        .bind(column(tasks, |(task, _)| task.draft.key.as_deref()))
        .bind(column(tasks, |(task, _)| task.draft.correlation_id.as_deref()))
        .bind(column(tasks, |(task, _)| task.draft.hold_category))
        .bind(column(tasks, |(task, _)| int(task.prior.progress.attempts)))
        .bind(column(tasks, |(task, _)| int(task.prior.progress.rate_limit_waits)))
        .bind(column(tasks, |(task, _)| signed(task.prior.progress.previous)))
        .bind(column(tasks, |(task, _)| last(task).map(|fault| fault.class.name())))
        .bind(column(tasks, |(task, _)| last(task).map(|fault| fault.message.as_str())))
        .bind(column(tasks, |(task, _)| task.prior.ended.map(Reason::name)))
        .fetch_all(connection)
        .await?;
    let mut fresh = HashSet::with_capacity(rows.len());
    for row in &rows {
        fresh.insert(row.try_get::<Uuid, _>(0)?.into());
        wakes.note(row.try_get::<Time, _>(1)?.0, row.try_get(2)?);
    }
    Ok(fresh)
}

/// The existing tasks, by the ids that they were submitted under.
async fn existing_tasks(
    connection: &mut PgConnection,
    tasks: &[(&CheckedTask, TaskNumbers)],
) -> Result<HashMap<TaskId, TaskId>> {
    if tasks.is_empty() {
        return Ok(HashMap::new());
    }
    let rows = sqlx::query(include_str!("sql/submit_existing.sql"))
        .bind(column(tasks, |(task, _)| task.draft.id.uuid()))
        .bind(column(tasks, |(task, _)| task.draft.key.as_deref()))
        .bind(column(tasks, |(task, _)| task.draft.kind.as_str()))
        .bind(column(tasks, |(task, _)| task.draft.payload.as_str()))
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
