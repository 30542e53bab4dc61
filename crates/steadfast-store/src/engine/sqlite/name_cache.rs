//! Queues and policies by their numbers.
//!
//! A row has a number where a task has a queue's name or a whole policy. Both are few and never
//! change once they are committed, so what was learned once is remembered. What was learned
//! within a transaction that is taken back must be forgotten: its numbers will be given to
//! others.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sqlx::SqliteConnection;
use steadfast::Policy;

use crate::engine::cache::Memory;
use crate::error::{Invalid, Result};
use crate::task::policy_snapshot;

const QUEUE_NUMBER: &str = include_str!("sql/queue_number.sql");
const QUEUE_ADD: &str = include_str!("sql/queue_add.sql");
const POLICY_NUMBER: &str = include_str!("sql/policy_number.sql");
const POLICY_ADD: &str = include_str!("sql/policy_add.sql");

/// What is remembered.
#[derive(Debug, Default)]
pub(super) struct Names(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    queues: Memory<String, i64>,
    numbers: Memory<String, i64>,
    policies: Memory<i64, Arc<Policy>>,
}

impl Names {
    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Forgets all numbers.
    pub(super) fn forget(&self) {
        *self.known() = Known::default();
    }

    /// The number of a queue, which is made if there is none.
    pub(super) async fn queue(&self, connection: &mut SqliteConnection, name: &str) -> Result<i64> {
        if let Some(number) = self.known().queues.get(name) {
            return Ok(*number);
        }
        let number = find_or_add(connection, QUEUE_NUMBER, QUEUE_ADD, name).await?;
        self.known().queues.keep(name.to_owned(), number, name.len());
        Ok(number)
    }

    /// The number of a policy, which is written down if it is new.
    pub(super) async fn number(
        &self,
        connection: &mut SqliteConnection,
        policy: &Arc<Policy>,
    ) -> Result<i64> {
        let body = policy_snapshot::write(policy)
            .map_err(|error| Invalid::new("policy", error.to_string()))?;
        if let Some(number) = self.known().numbers.get(&body) {
            return Ok(*number);
        }
        let number = find_or_add(connection, POLICY_NUMBER, POLICY_ADD, &body).await?;
        let bytes = body.len();
        self.known().numbers.keep(body, number, bytes);
        self.learn_policy(number, policy.clone(), bytes);
        Ok(number)
    }

    /// The policy of a number, if it was met before.
    pub(super) fn policy(&self, number: i64) -> Option<Arc<Policy>> {
        self.known().policies.get(&number).cloned()
    }

    /// Remembers the policy of a number, which was written in so many bytes.
    pub(super) fn learn_policy(&self, number: i64, policy: Arc<Policy>, bytes: usize) {
        self.known().policies.keep(number, policy, bytes);
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
