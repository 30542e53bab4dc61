//! Writing new tasks (D9).
//!
//! A task is inserted as if it were new, thousands in one statement, because nearly always it
//! is; and those that are alike by a statement that is told once what they have in common. Only
//! when the database answers that an id or a key is taken is it asked which, and only
//! the others are inserted. A statement that fails takes back its own rows and no others, also
//! in the middle of the caller's own transaction.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sqlx::SqliteConnection;
use steadfast::Policy;

use super::name_cache::Names;
use super::pending_wakes::News;
use super::row::{Hex, after, ids, json, micros, read};
use super::transitions::Ending;
use super::{history, now, transitions};
use crate::engine::Submitted;
use crate::error::{Invalid, Result, StoreError};
use crate::queue::submit::Admission;
use crate::queue::uniform_batch::pattern;
use crate::task::{Draft, TaskId, When};

const ALIKE: &str = include_str!("sql/submit_alike.sql");
const TASKS: &str = include_str!("sql/submit_tasks.sql");
const FOUND: &str = include_str!("sql/submit_found.sql");

/// How much is written in one statement: tasks, and bytes of their payloads.
const AT_ONCE: usize = 1000;
const BYTES_AT_ONCE: usize = 16 << 20;

/// A task as JSON.
#[derive(Serialize)]
struct New<'t> {
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

/// What is known already of a task: whether what has its id is the same work, whose its key is, and
/// whether that one is.
#[derive(Deserialize)]
struct Found(Option<u8>, Option<Hex>, Option<u8>);

/// Writes tasks at this time.
pub(super) async fn write(
    connection: &mut SqliteConnection,
    tasks: &[Admission],
    now: i64,
    names: &Names,
) -> Result<(Vec<Submitted>, News)> {
    let mut numbers = Numbers { names, recent: VecDeque::new() };
    let mut all = Vec::with_capacity(tasks.len());
    let mut news = News::default();
    for chunk in chunks(tasks) {
        let mut new = Vec::with_capacity(chunk.len());
        for task in chunk {
            let (queue, policy) = numbers.of(connection, task).await?;
            new.push(New::of(&task.draft, queue, policy, now));
        }
        let alike = match pattern(chunk) {
            Some(_) => insert_alike(connection, &new, now).await?,
            None => None,
        };
        let answers = match alike {
            Some(answers) => answers,
            None => insert(connection, &new, now).await?,
        };
        for ((task, new), answer) in chunk.iter().zip(&new).zip(&answers) {
            if !answer.existed {
                news.note(new.due_at, now);
                head_start(connection, task, now).await?;
            }
        }
        all.extend(answers);
    }
    Ok((all, news))
}

/// Writes tasks within a transaction of the caller's own, all or none. Nothing that is learned
/// there is remembered: nobody tells how it ends.
pub(super) async fn within(
    connection: &mut SqliteConnection,
    tasks: &[Admission],
) -> Result<Vec<Submitted>> {
    let names = Names::default();
    let now = now(connection).await?;
    sqlx::query("SAVEPOINT steadfast_submit").execute(&mut *connection).await?;
    let written = write(connection, tasks, now, &names).await;
    if written.is_err() {
        let undone = sqlx::query("ROLLBACK TO steadfast_submit").execute(&mut *connection).await;
        undone?;
    }
    sqlx::query("RELEASE steadfast_submit").execute(connection).await?;
    let (answers, _) = written.map_err(foreign)?;
    Ok(answers)
}

/// A connection to another file knows no tables of ours.
fn foreign(error: StoreError) -> StoreError {
    match &error {
        StoreError::Database(cause) if cause.to_string().contains("no such table: steadfast") => {
            let problem = "is to another database: begin the transaction on the store's own file";
            Invalid::new("connection", problem).into()
        }
        _ => error,
    }
}

/// Splits what would be too long for one statement.
fn chunks(mut tasks: &[Admission]) -> Vec<&[Admission]> {
    let mut chunks = Vec::new();
    while !tasks.is_empty() {
        let mut bytes = 0;
        let fits = |task: &&Admission| {
            bytes += task.draft.payload.len();
            bytes <= BYTES_AT_ONCE
        };
        let count = tasks.iter().take(AT_ONCE).take_while(fits).count().max(1);
        let (chunk, rest) = tasks.split_at(count);
        chunks.push(chunk);
        tasks = rest;
    }
    chunks
}

impl<'t> New<'t> {
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

    fn is_same_work(&self, other: &Self) -> bool {
        self.kind == other.kind && self.payload == other.payload
    }
}

pub(super) fn when(when: When, now: i64) -> i64 {
    match when {
        When::Now => now,
        When::After(delay) => after(now, delay),
        When::At(time) => micros(time),
    }
}

/// Inserts tasks that are alike, unless one of them was there already.
async fn insert_alike(
    connection: &mut SqliteConnection,
    tasks: &[New<'_>],
    now: i64,
) -> Result<Option<Vec<Submitted>>> {
    let Some(first) = tasks.first() else {
        return Ok(None);
    };
    let ids: Vec<u8> = tasks.iter().flat_map(|task| task.id.0.uuid().into_bytes()).collect();
    let payloads: Vec<&str> = tasks.iter().map(|task| task.payload).collect();
    let inserted = sqlx::query(ALIKE)
        .bind(ids)
        .bind(json(&payloads)?)
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

fn all_new(tasks: &[New<'_>]) -> Vec<Submitted> {
    tasks.iter().map(|task| Submitted { id: task.id.0, existed: false }).collect()
}

/// Inserts those that are new, and answers for all.
async fn insert(
    connection: &mut SqliteConnection,
    tasks: &[New<'_>],
    now: i64,
) -> Result<Vec<Submitted>> {
    let list = json(&tasks)?;
    match insert_all(connection, &list, now).await {
        Ok(()) => Ok(all_new(tasks)),
        Err(error) if is_taken(&error) => {
            let found: String =
                sqlx::query_scalar(FOUND).bind(&list).fetch_one(&mut *connection).await?;
            let (new, answers) = sort_out(tasks, &read::<Vec<Found>>(&found)?)?;
            insert_all(connection, &json(&new)?, now).await?;
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
    sqlx::query(TASKS).bind(list).bind(now).execute(connection).await?;
    Ok(())
}

fn is_taken(error: &sqlx::Error) -> bool {
    error.as_database_error().is_some_and(|error| error.is_unique_violation())
}

/// Which tasks are new, and what is answered for each.
fn sort_out<'n, 't>(
    tasks: &'n [New<'t>],
    found: &[Found],
) -> Result<(Vec<&'n New<'t>>, Vec<Submitted>)> {
    let mut new: Vec<&New<'_>> = Vec::new();
    let mut ids: HashMap<Hex, &New<'_>> = HashMap::new();
    let mut keys: HashMap<&str, &New<'_>> = HashMap::new();
    let mut answers = Vec::with_capacity(tasks.len());
    for (task, Found(known, owner, is_same)) in tasks.iter().zip(found) {
        let known = match (known, ids.get(&task.id)) {
            (Some(is_same), _) => Some(*is_same == 1),
            (None, earlier) => earlier.map(|earlier| earlier.is_same_work(task)),
        };
        if known == Some(false) {
            return Err(StoreError::IdTaken(task.id.0));
        }
        let earlier = task.key.and_then(|key| keys.get(key).copied());
        let owner = match (owner, earlier) {
            _ if known.is_some() => Some((task.id, true)),
            (Some(owner), _) => Some((*owner, *is_same == Some(1))),
            (None, Some(earlier)) => Some((earlier.id, earlier.is_same_work(task))),
            (None, None) => None,
        };
        match owner {
            Some((owner, true)) => answers.push(Submitted { id: owner.0, existed: true }),
            Some((owner, false)) => return Err(key_taken(task, owner.0)),
            None => {
                ids.insert(task.id, task);
                keys.extend(task.key.map(|key| (key, task)));
                new.push(task);
                answers.push(Submitted { id: task.id.0, existed: false });
            }
        }
    }
    Ok((new, answers))
}

fn key_taken(task: &New<'_>, existing: TaskId) -> StoreError {
    StoreError::KeyTaken { key: task.key.unwrap_or_default().to_owned(), existing }
}

/// Writes what a task went through before, if it did.
async fn head_start(connection: &mut SqliteConnection, task: &Admission, now: i64) -> Result<()> {
    let (id, start) = (task.draft.id, &task.head_start);
    if start.faults.is_empty() && start.ended.is_none() {
        return Ok(());
    }
    history::begin(connection, id, start).await?;
    if let Some(reason) = start.ended {
        transitions::leave(connection, &ids([id])?).await?;
        transitions::end(connection, &[Ending::failed(id, reason)], now).await?;
    }
    Ok(())
}

/// The numbers of queues and policies. Of many tasks most have the same ones as the task
/// before, and a policy is recognised sooner than it is written.
struct Numbers<'n> {
    names: &'n Names,
    recent: VecDeque<(Arc<Policy>, i64)>,
}

impl Numbers<'_> {
    const RECENT: usize = 8;

    async fn of(
        &mut self,
        connection: &mut SqliteConnection,
        task: &Admission,
    ) -> Result<(i64, i64)> {
        let queue = self.names.queue(connection, &task.draft.queue).await?;
        let is_same = |recent: &&(Arc<Policy>, i64)| {
            Arc::ptr_eq(&recent.0, &task.policy) || recent.0 == task.policy
        };
        if let Some((_, policy)) = self.recent.iter().find(is_same) {
            return Ok((queue, *policy));
        }
        let policy = self.names.number(connection, &task.policy).await?;
        self.recent.push_front((task.policy.clone(), policy));
        self.recent.truncate(Self::RECENT);
        Ok((queue, policy))
    }
}
