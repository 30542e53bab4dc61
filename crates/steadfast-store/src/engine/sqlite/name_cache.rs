//! The numbers of queues and policies, cached.
//!
//! A row has the numbers of its queue and policy instead of their name and text. Both are few and
//! never change once committed, so they are cached. After a rollback the cache is cleared, because
//! the numbers of that transaction will be assigned again.

use std::sync::Arc;

use sqlx::SqliteConnection;
use steadfast::Policy;

use crate::engine::cache::BoundedCache;
use crate::error::Result;
use crate::task::policy_snapshot;

const FIND_QUEUE: &str = "SELECT number FROM steadfast_queues WHERE name = ?1";
const ADD_QUEUE: &str = "INSERT INTO steadfast_queues (name) VALUES (?1) RETURNING number";
const FIND_POLICY: &str = "SELECT number FROM steadfast_policies WHERE body = ?1";
const ADD_POLICY: &str = "INSERT INTO steadfast_policies (body) VALUES (?1) RETURNING number";

#[derive(Debug, Default)]
pub(super) struct NameCache {
    queues: BoundedCache<String, i64>,
    policies: BoundedCache<String, i64>,
    policy_values: BoundedCache<i64, Arc<Policy>>,
}

impl NameCache {
    pub(super) fn clear(&self) {
        self.queues.clear();
        self.policies.clear();
        self.policy_values.clear();
    }

    /// The number of a queue, which is created if it does not exist.
    pub(super) async fn queue(&self, connection: &mut SqliteConnection, name: &str) -> Result<i64> {
        if let Some(number) = self.queues.get(name) {
            return Ok(number);
        }
        let number = find_or_add(connection, FIND_QUEUE, ADD_QUEUE, name).await?;
        self.queues.insert(name.to_owned(), number, name.len());
        Ok(number)
    }

    /// The number of a policy, which is written if it is new.
    pub(super) async fn policy_number(
        &self,
        connection: &mut SqliteConnection,
        policy: &Arc<Policy>,
    ) -> Result<i64> {
        let body = policy_snapshot::write(policy)?;
        if let Some(number) = self.policies.get(&body) {
            return Ok(number);
        }
        let number = find_or_add(connection, FIND_POLICY, ADD_POLICY, &body).await?;
        let bytes = body.len();
        self.policies.insert(body, number, bytes);
        self.insert_policy(number, policy.clone(), bytes);
        Ok(number)
    }

    /// The policy with this number, if it is cached.
    pub(super) fn policy(&self, number: i64) -> Option<Arc<Policy>> {
        self.policy_values.get(&number)
    }

    /// Caches the policy with this number, whose text has this many bytes.
    pub(super) fn insert_policy(&self, number: i64, policy: Arc<Policy>, bytes: usize) {
        self.policy_values.insert(number, policy, bytes);
    }
}

async fn find_or_add(
    connection: &mut SqliteConnection,
    find: &'static str,
    add: &'static str,
    name: &str,
) -> Result<i64> {
    let found = sqlx::query_scalar(find).bind(name).fetch_optional(&mut *connection).await?;
    if let Some(number) = found {
        return Ok(number);
    }
    Ok(sqlx::query_scalar(add).bind(name).fetch_one(connection).await?)
}
