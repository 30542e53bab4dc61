//! Writing new tasks (D9).
//!
//! Tasks are inserted as new, thousands in one statement, because nearly always they are. Those
//! that differ only in id and payload go by a statement that binds the rest once. Only if an id
//! or a key is taken are the existing tasks read, and only the others inserted. A failed statement
//! rolls back its own rows only, also within a transaction of the caller.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use sqlx::SqliteConnection;
use steadfast::Policy;

use super::name_cache::NameCache;
use super::row::{Hex, after, chunks, encode, fetch_json, ids, timestamp};
use super::transitions::Ending;
use super::writer::job;
use super::{Sqlite, history, now, transitions};
use crate::engine::{Connection, Submit, Submitted};
use crate::error::{InputError, Result, StoreError};
use crate::events::notifier::PendingWakes;
use crate::queue::submit::CheckedTask;
use crate::queue::uniform_batch::template;
use crate::task::{Draft, TaskId, When};

/// The number of tasks in one statement.
const MAX_STATEMENT_TASKS: usize = 1000;

#[derive(Serialize)]
struct NewTask<'t> {
    id: Hex,
    queue: i64,
    priority: i16,
    policy: i64,
    due_at: i64,
    expires_at: Option<i64>,
    hold_category: bool,
    kind: &'t str,
    category: Option<&'t str>,
    key: Option<&'t str>,
    correlation_id: Option<&'t str>,
    payload: &'t str,
}

/// The existing tasks of a new one: whether the task with its id has the same work, the task with
/// its key, and whether that one has the same work.
#[derive(Deserialize)]
struct Existing(Option<u8>, Option<Hex>, Option<u8>);

pub(super) async fn write(
    connection: &mut SqliteConnection,
    tasks: &[&CheckedTask],
    now: i64,
    names: &NameCache,
) -> Result<(Vec<Submitted>, PendingWakes)> {
    let mut numbers = NumberLookup { names, recent: VecDeque::new() };
    let mut all = Vec::with_capacity(tasks.len());
    let mut wakes = PendingWakes::default();
    for chunk in chunks(tasks, MAX_STATEMENT_TASKS, |task| task.draft.payload.len()) {
        let mut new = Vec::with_capacity(chunk.len());
        for task in chunk {
            let (queue, policy) = numbers.of(connection, task).await?;
            new.push(NewTask::of(&task.draft, queue, policy, now));
        }
        let uniform = match template(chunk.iter().copied()) {
            Some(_) => insert_uniform(connection, &new, now).await?,
            None => None,
        };
        let answers = match uniform {
            Some(answers) => answers,
            None => insert(connection, &new, now).await?,
        };
        for ((task, new), answer) in chunk.iter().zip(&new).zip(&answers) {
            if !answer.existed {
                wakes.note(timestamp(new.due_at), new.due_at <= now);
                write_prior_attempts(connection, task, now).await?;
            }
        }
        all.extend(answers);
    }
    Ok((all, wakes))
}

#[async_trait]
impl Submit for Sqlite {
    async fn submit(&self, mut tasks: Vec<CheckedTask>) -> Result<Vec<Submitted>> {
        if tasks.len() == 1
            && let Some(task) = tasks.pop_if(|task| task.draft.key.is_none())
        {
            return Ok(vec![self.submit_batcher.submit(task, ()).await?]);
        }
        let names = self.names.clone();
        let write = job!(|connection, now| {
            write(connection, &tasks.iter().collect::<Vec<_>>(), now, &names).await
        });
        let (submitted, wakes) = self.writer.run(write).await?;
        self.notifier.notify_all(wakes);
        Ok(submitted)
    }

    /// Caches no numbers, because the caller may roll the transaction back.
    async fn submit_within(
        &self,
        connection: Connection<'_>,
        tasks: Vec<CheckedTask>,
    ) -> Result<Vec<Submitted>> {
        let Connection::Sqlite(connection) = connection else {
            let problem = "must be to this store's SQLite file: begin the transaction there";
            return Err(InputError::new("connection", problem).into());
        };
        let names = NameCache::default();
        let now = now(connection).await?;
        sqlx::query("SAVEPOINT steadfast_submit").execute(&mut *connection).await?;
        let tasks: Vec<&CheckedTask> = tasks.iter().collect();
        let written = write(connection, &tasks, now, &names).await;
        if written.is_err() {
            sqlx::query("ROLLBACK TO steadfast_submit").execute(&mut *connection).await?;
        }
        sqlx::query("RELEASE steadfast_submit").execute(connection).await?;
        let (submitted, _) = written.map_err(foreign_file)?;
        Ok(submitted)
    }
}

/// A connection to another file has no tables of the store.
fn foreign_file(error: StoreError) -> StoreError {
    match &error {
        StoreError::Database(cause) if cause.to_string().contains("no such table: steadfast") => {
            let problem = "is to another database: begin the transaction on the store's file";
            InputError::new("connection", problem).into()
        }
        _ => error,
    }
}

impl<'t> NewTask<'t> {
    fn of(draft: &'t Draft, queue: i64, policy: i64, now: i64) -> Self {
        Self {
            id: Hex(draft.id),
            queue,
            priority: draft.priority,
            policy,
            due_at: when(draft.run, now),
            expires_at: draft.expires.map(|expires| when(expires, now)),
            hold_category: draft.hold_category,
            kind: &draft.kind,
            category: draft.category.as_deref(),
            key: draft.key.as_deref(),
            correlation_id: draft.correlation_id.as_deref(),
            payload: &draft.payload,
        }
    }

    fn has_same_work(&self, other: &Self) -> bool {
        self.kind == other.kind && self.payload == other.payload
    }
}

pub(super) fn when(when: When, now: i64) -> i64 {
    match when {
        When::Now => now,
        When::After(delay) => after(now, delay),
        When::At(time) => time.as_microsecond(),
    }
}

/// Inserts tasks that differ only in id and payload. `None` if one of them exists.
async fn insert_uniform(
    connection: &mut SqliteConnection,
    tasks: &[NewTask<'_>],
    now: i64,
) -> Result<Option<Vec<Submitted>>> {
    let Some(first) = tasks.first() else {
        return Ok(None);
    };
    let ids: Vec<u8> = tasks.iter().flat_map(|task| task.id.0.uuid().into_bytes()).collect();
    let payloads: Vec<&str> = tasks.iter().map(|task| task.payload).collect();
    let inserted = sqlx::query(include_str!("sql/submit_uniform.sql"))
        .bind(ids)
        .bind(encode(&payloads)?)
        .bind(first.queue)
        .bind(first.priority)
        .bind(first.policy)
        .bind(now)
        .bind(first.due_at)
        .bind(first.expires_at)
        .bind(first.hold_category)
        .bind(first.kind)
        .bind(first.category)
        .execute(connection)
        .await;
    match inserted {
        Ok(_) => Ok(Some(all_new(tasks))),
        Err(error) if is_taken(&error) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn all_new(tasks: &[NewTask<'_>]) -> Vec<Submitted> {
    tasks.iter().map(|task| Submitted::new(task.id.0)).collect()
}

/// Inserts the new tasks, and answers for all.
async fn insert(
    connection: &mut SqliteConnection,
    tasks: &[NewTask<'_>],
    now: i64,
) -> Result<Vec<Submitted>> {
    let list = encode(&tasks)?;
    match insert_all(connection, &list, now).await {
        Ok(()) => Ok(all_new(tasks)),
        Err(error) if is_taken(&error) => {
            let found = sqlx::query(include_str!("sql/submit_existing.sql")).bind(&list);
            let found: Vec<Existing> = fetch_json(connection, found).await?;
            let (new, answers) = separate_new(tasks, &found)?;
            insert_all(connection, &encode(&new)?, now).await?;
            Ok(answers)
        }
        Err(error) => Err(error.into()),
    }
}

async fn insert_all(
    connection: &mut SqliteConnection,
    list: &str,
    now: i64,
) -> Result<(), sqlx::Error> {
    let insert = sqlx::query(include_str!("sql/submit.sql")).bind(list).bind(now);
    insert.execute(connection).await.map(drop)
}

fn is_taken(error: &sqlx::Error) -> bool {
    error.as_database_error().is_some_and(|error| error.is_unique_violation())
}

/// Separates the new tasks, and answers for each.
fn separate_new<'n, 't>(
    tasks: &'n [NewTask<'t>],
    found: &[Existing],
) -> Result<(Vec<&'n NewTask<'t>>, Vec<Submitted>)> {
    let mut new: Vec<&NewTask<'_>> = Vec::new();
    let mut ids: HashMap<Hex, &NewTask<'_>> = HashMap::new();
    let mut keys: HashMap<&str, &NewTask<'_>> = HashMap::new();
    let mut answers = Vec::with_capacity(tasks.len());
    for (task, Existing(known, owner, is_same)) in tasks.iter().zip(found) {
        let known = match (known, ids.get(&task.id)) {
            (Some(is_same), _) => Some(*is_same == 1),
            (None, earlier) => earlier.map(|earlier| earlier.has_same_work(task)),
        };
        if known == Some(false) {
            return Err(StoreError::IdTaken(task.id.0));
        }
        let earlier = task.key.and_then(|key| keys.get(key).copied());
        let owner = match (owner, earlier) {
            _ if known.is_some() => Some((task.id, true)),
            (Some(owner), _) => Some((*owner, *is_same == Some(1))),
            (None, Some(earlier)) => Some((earlier.id, earlier.has_same_work(task))),
            (None, None) => None,
        };
        match owner {
            Some((owner, true)) => answers.push(Submitted::existing(owner.0)),
            Some((owner, false)) => return Err(key_taken(task, owner.0)),
            None => {
                ids.insert(task.id, task);
                keys.extend(task.key.map(|key| (key, task)));
                new.push(task);
                answers.push(Submitted::new(task.id.0));
            }
        }
    }
    Ok((new, answers))
}

fn key_taken(task: &NewTask<'_>, existing: TaskId) -> StoreError {
    StoreError::KeyTaken { key: task.key.unwrap_or_default().to_owned(), existing }
}

/// Writes the prior attempts of a task, if there are any.
async fn write_prior_attempts(
    connection: &mut SqliteConnection,
    task: &CheckedTask,
    now: i64,
) -> Result<()> {
    let (id, prior) = (task.draft.id, &task.prior);
    if prior.faults.is_empty() && prior.ended.is_none() {
        return Ok(());
    }
    history::begin(connection, id, prior).await?;
    if let Some(reason) = prior.ended {
        transitions::remove_queued(connection, &ids([id])?).await?;
        transitions::end(connection, &[Ending::failed(id, reason)], now).await?;
    }
    Ok(())
}

/// The numbers of queues and policies. Most tasks share those of the task before, and comparing
/// policies is cheaper than encoding them.
struct NumberLookup<'n> {
    names: &'n NameCache,
    recent: VecDeque<(Arc<Policy>, i64)>,
}

impl NumberLookup<'_> {
    const MAX_RECENT_POLICIES: usize = 8;

    async fn of(
        &mut self,
        connection: &mut SqliteConnection,
        task: &CheckedTask,
    ) -> Result<(i64, i64)> {
        let queue = self.names.queue(connection, &task.draft.queue).await?;
        let is_same = |recent: &&(Arc<Policy>, i64)| {
            Arc::ptr_eq(&recent.0, &task.policy) || recent.0 == task.policy
        };
        if let Some((_, policy)) = self.recent.iter().find(is_same) {
            return Ok((queue, *policy));
        }
        let policy = self.names.policy_number(connection, &task.policy).await?;
        self.recent.push_front((task.policy.clone(), policy));
        self.recent.truncate(Self::MAX_RECENT_POLICIES);
        Ok((queue, policy))
    }
}
