//! Queues and policies by number.
//!
//! Rows that are written a thousand at a time hold the number of their queue and policy, not
//! its name or its text. Numbers are given once and never taken back, so each process
//! remembers those it has seen.

use std::borrow::Borrow;
use std::hash::Hash;
use std::sync::{Arc, PoisonError, RwLock};

use sqlx::PgPool;
use steadfast::Policy;

use crate::engine::cache::Memory;
use crate::error::{Result, StoreError};
use crate::task::TaskId;
use crate::task::policy_snapshot;

const QUEUE: &str = include_str!("sql/queue_number.sql");
const POLICY: &str = include_str!("sql/policy_number.sql");

#[derive(Debug, Default)]
pub(super) struct Names {
    queues: Shared<String, i32>,
    queue_names: Shared<i32, Arc<str>>,
    policies: Shared<String, i32>,
    /// Or why it cannot be read, so that a batch of a thousand does not ask a thousand times.
    policy_values: Shared<i32, Result<Arc<Policy>, String>>,
}

#[derive(Debug)]
struct Shared<K, V>(RwLock<Memory<K, V>>);

impl<K, V> Default for Shared<K, V> {
    fn default() -> Self {
        Self(RwLock::default())
    }
}

impl<K: Hash + Eq, V: Clone> Shared<K, V> {
    fn get<Q: Hash + Eq + ?Sized>(&self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        self.0.read().unwrap_or_else(PoisonError::into_inner).get(key).cloned()
    }

    fn keep(&self, key: K, value: V, bytes: usize) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).keep(key, value, bytes);
    }
}

impl Names {
    /// The number of a queue, which is made if it is not there. Always outside the caller's
    /// transaction: a number that is rolled back must not be remembered.
    pub(super) async fn queue(&self, pool: &PgPool, name: &str) -> Result<i32> {
        if let Some(number) = self.queues.get(name) {
            return Ok(number);
        }
        let number: i32 = sqlx::query_scalar(QUEUE).bind(name).fetch_one(pool).await?;
        self.queues.keep(name.to_owned(), number, name.len());
        self.queue_names.keep(number, name.into(), name.len());
        Ok(number)
    }

    /// The name of a queue that a task is in.
    pub(super) async fn queue_name(&self, pool: &PgPool, number: i32) -> Result<Arc<str>> {
        if let Some(name) = self.queue_names.get(&number) {
            return Ok(name);
        }
        let name: String = sqlx::query_scalar("SELECT name FROM steadfast.queues WHERE id = $1")
            .bind(number)
            .fetch_one(pool)
            .await?;
        let name: Arc<str> = name.into();
        self.queue_names.keep(number, name.clone(), name.len());
        Ok(name)
    }

    /// The number of a policy.
    pub(super) async fn policy(&self, pool: &PgPool, policy: &Arc<Policy>) -> Result<i32> {
        let body = policy_snapshot::write(policy).map_err(unwritable)?;
        if let Some(number) = self.policies.get(&body) {
            return Ok(number);
        }
        let number: i32 = sqlx::query_scalar(POLICY).bind(&body).fetch_one(pool).await?;
        let bytes = body.len();
        self.policies.keep(body, number, bytes);
        self.policy_values.keep(number, Ok(policy.clone()), bytes);
        Ok(number)
    }

    /// The policy of this number, which a task has.
    pub(super) async fn policy_value(
        &self,
        pool: &PgPool,
        number: i32,
        task: TaskId,
    ) -> Result<Arc<Policy>> {
        let damaged = |problem: String| StoreError::Damaged { id: task, problem };
        if let Some(read) = self.policy_values.get(&number) {
            return read.map_err(damaged);
        }
        let body: Option<String> =
            sqlx::query_scalar("SELECT body::text FROM steadfast.policies WHERE id = $1")
                .bind(number)
                .fetch_optional(pool)
                .await?;
        let body = body.ok_or_else(|| damaged("its policy is not there any more".to_owned()))?;
        let read = policy_snapshot::read(&body).map(Arc::new);
        let read = read.map_err(|error| format!("its policy cannot be read: {error}"));
        self.policy_values.keep(number, read.clone(), body.len());
        read.map_err(damaged)
    }
}

/// A policy that was checked can be written.
fn unwritable(error: serde_json::Error) -> StoreError {
    StoreError::Database(sqlx::Error::Decode(Box::new(error)))
}
