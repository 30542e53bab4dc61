//! The numbers of queues and policies, cached.
//!
//! A row has the numbers of its queue and policy instead of their name and text. A number is
//! assigned once and never changes, so each process caches those it has used.

use std::borrow::Borrow;
use std::hash::Hash;
use std::sync::{Arc, PoisonError, RwLock};

use sqlx::PgPool;
use steadfast::Policy;

use crate::engine::cache::BoundedCache;
use crate::error::{Result, StoreError};
use crate::task::TaskId;
use crate::task::policy_snapshot;

const QUEUE_NUMBER: &str = "INSERT INTO steadfast.queues (name) VALUES ($1) \
     ON CONFLICT (name) DO UPDATE SET name = excluded.name RETURNING id";
const POLICY_NUMBER: &str = "INSERT INTO steadfast.policies (digest, body) \
     VALUES (sha256(convert_to($1, 'UTF8')), $1::json) \
     ON CONFLICT (digest) DO UPDATE SET digest = excluded.digest RETURNING id";

#[derive(Debug, Default)]
pub(super) struct NameCache {
    queues: Shared<String, i32>,
    queue_names: Shared<i32, Arc<str>>,
    policies: Shared<String, i32>,
    /// Or the decode error, so that a batch of a thousand tasks decodes it once.
    policy_values: Shared<i32, Result<Arc<Policy>, String>>,
}

#[derive(Debug)]
struct Shared<K, V>(RwLock<BoundedCache<K, V>>);

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

    fn insert(&self, key: K, value: V, bytes: usize) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).insert(key, value, bytes);
    }
}

impl NameCache {
    /// The number of a queue, which is created if it does not exist. Always outside the caller's
    /// transaction: a number that is rolled back must not be cached.
    pub(super) async fn queue(&self, pool: &PgPool, name: &str) -> Result<i32> {
        if let Some(number) = self.queues.get(name) {
            return Ok(number);
        }
        let number: i32 = sqlx::query_scalar(QUEUE_NUMBER).bind(name).fetch_one(pool).await?;
        self.queues.insert(name.to_owned(), number, name.len());
        self.queue_names.insert(number, name.into(), name.len());
        Ok(number)
    }

    /// The name of an existing queue.
    pub(super) async fn queue_name(&self, pool: &PgPool, number: i32) -> Result<Arc<str>> {
        if let Some(name) = self.queue_names.get(&number) {
            return Ok(name);
        }
        let name: String = sqlx::query_scalar("SELECT name FROM steadfast.queues WHERE id = $1")
            .bind(number)
            .fetch_one(pool)
            .await?;
        let name: Arc<str> = name.into();
        self.queue_names.insert(number, name.clone(), name.len());
        Ok(name)
    }

    /// The number of a policy.
    pub(super) async fn policy(&self, pool: &PgPool, policy: &Arc<Policy>) -> Result<i32> {
        let body = policy_snapshot::write(policy).map_err(encode_error)?;
        if let Some(number) = self.policies.get(&body) {
            return Ok(number);
        }
        let number: i32 = sqlx::query_scalar(POLICY_NUMBER).bind(&body).fetch_one(pool).await?;
        let bytes = body.len();
        self.policies.insert(body, number, bytes);
        self.policy_values.insert(number, Ok(policy.clone()), bytes);
        Ok(number)
    }

    /// The policy with this number, which the task uses.
    pub(super) async fn policy_value(
        &self,
        pool: &PgPool,
        number: i32,
        task: TaskId,
    ) -> Result<Arc<Policy>> {
        let decode_error = |problem: String| StoreError::Decode { id: task, problem };
        if let Some(read) = self.policy_values.get(&number) {
            return read.map_err(decode_error);
        }
        let body: Option<String> =
            sqlx::query_scalar("SELECT body::text FROM steadfast.policies WHERE id = $1")
                .bind(number)
                .fetch_optional(pool)
                .await?;
        let body = body.ok_or_else(|| decode_error("its policy does not exist".to_owned()))?;
        let read = policy_snapshot::read(&body).map(Arc::new);
        let read = read.map_err(|error| format!("cannot decode its policy: {error}"));
        self.policy_values.insert(number, read.clone(), body.len());
        read.map_err(decode_error)
    }
}

/// A checked policy can always be encoded.
fn encode_error(error: serde_json::Error) -> StoreError {
    sqlx::Error::Encode(Box::new(error)).into()
}
