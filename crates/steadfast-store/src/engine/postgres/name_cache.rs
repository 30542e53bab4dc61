//! The numbers of queues and policies, cached.
//!
//! A row has the numbers of its queue and policy instead of their name and text. A number is
//! assigned once and never changes, so each process caches those it has used.

use std::sync::Arc;

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
    queues: BoundedCache<String, i32>,
    queue_names: BoundedCache<i32, Arc<str>>,
    policies: BoundedCache<String, i32>,
    /// Or the decode error, so that a batch of a thousand tasks decodes it once.
    policy_values: BoundedCache<i32, Result<Arc<Policy>, String>>,
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
        let name = sqlx::query_scalar("SELECT name FROM steadfast.queues WHERE id = $1");
        let name: Arc<str> = name.bind(number).fetch_one(pool).await.map(String::into)?;
        self.queue_names.insert(number, name.clone(), name.len());
        Ok(name)
    }

    pub(super) async fn policy(&self, pool: &PgPool, policy: &Arc<Policy>) -> Result<i32> {
        let body = policy_snapshot::write(policy)?;
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
        let body = sqlx::query_scalar("SELECT body::text FROM steadfast.policies WHERE id = $1");
        let body: Option<String> = body.bind(number).fetch_optional(pool).await?;
        let body = body.ok_or_else(|| decode_error("its policy does not exist".to_owned()))?;
        let read = policy_snapshot::decode(&body);
        self.policy_values.insert(number, read.clone(), body.len());
        read.map_err(decode_error)
    }
}
