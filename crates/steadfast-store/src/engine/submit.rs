//! The role that writes new tasks.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use sqlx::{PgConnection, SqliteConnection};

use crate::error::Result;
use crate::queue::submit::CheckedTask;
use crate::task::TaskId;

/// Writes new tasks.
#[async_trait]
pub trait Submit: Send + Sync + 'static {
    /// Writes tasks, all or none. The answers are in the order of the tasks.
    async fn submit(&self, tasks: Vec<CheckedTask>) -> Result<Vec<Submitted>>;

    /// Writes tasks within a transaction of the caller (D9).
    async fn submit_within(
        &self,
        connection: Connection<'_>,
        tasks: Vec<CheckedTask>,
    ) -> Result<Vec<Submitted>>;
}

/// The result of submitting one task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct Submitted {
    /// The id of the new task, or of the existing one with the same id or idempotency key.
    pub id: TaskId,
    /// Whether the task already existed.
    pub existed: bool,
}

impl Submitted {
    pub(crate) const fn new(id: TaskId) -> Self {
        Self { id, existed: false }
    }

    pub(crate) const fn existing(id: TaskId) -> Self {
        Self { id, existed: true }
    }
}

/// A connection of the caller, with an open transaction.
#[derive(Debug)]
#[non_exhaustive]
pub enum Connection<'c> {
    /// To PostgreSQL.
    Postgres(&'c mut PgConnection),
    /// To an SQLite file.
    Sqlite(&'c mut SqliteConnection),
}

impl<'c> From<&'c mut PgConnection> for Connection<'c> {
    fn from(connection: &'c mut PgConnection) -> Self {
        Self::Postgres(connection)
    }
}

impl<'c> From<&'c mut SqliteConnection> for Connection<'c> {
    fn from(connection: &'c mut SqliteConnection) -> Self {
        Self::Sqlite(connection)
    }
}
