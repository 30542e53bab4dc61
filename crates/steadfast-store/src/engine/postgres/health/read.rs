//! Statements in read-only transactions.

use std::time::Duration;

use sqlx::postgres::{PgArguments, PgConnection, PgRow};
use sqlx::query::Query;
use sqlx::{Connection as _, Postgres, Row, Transaction};

use crate::health::{Fact, Session, seconds};

const SESSION: &str = include_str!("../sql/health_session.sql");

/// A connection for health checks.
pub(super) struct Probe {
    connection: PgConnection,
}

impl Probe {
    pub(super) const fn on(connection: PgConnection) -> Self {
        Self { connection }
    }

    pub(super) async fn close(self) {
        // Nothing was written.
        let _ = self.connection.close().await;
    }

    pub(super) async fn begin(&mut self) -> Fact<Transaction<'_, Postgres>> {
        let mut transaction = self.connection.begin().await?;
        sqlx::raw_sql(SESSION).execute(&mut *transaction).await?;
        Ok(transaction)
    }

    pub(super) async fn rows(&mut self, statement: &'static str) -> Fact<Vec<PgRow>> {
        self.fetch(sqlx::query(statement)).await
    }

    pub(super) async fn fetch(
        &mut self,
        query: Query<'_, Postgres, PgArguments>,
    ) -> Fact<Vec<PgRow>> {
        let mut transaction = self.begin().await?;
        // Behind a pooler a prepared statement would stay on a shared connection.
        let rows = query.persistent(false).fetch_all(&mut *transaction).await;
        transaction.rollback().await?;
        Ok(rows?)
    }

    /// The row of a statement that always returns one.
    pub(super) async fn row(&mut self, statement: &'static str) -> Fact<PgRow> {
        let rows = self.rows(statement).await?;
        Ok(rows.into_iter().next().ok_or(sqlx::Error::RowNotFound)?)
    }

    /// The value of a statement that always returns one.
    pub(super) async fn value<T>(&mut self, statement: &'static str) -> Fact<T>
    where
        T: for<'r> sqlx::Decode<'r, Postgres> + sqlx::Type<Postgres>,
    {
        Ok(self.row(statement).await?.try_get(0)?)
    }
}

/// A count from a signed column.
pub(super) fn count(row: &PgRow, column: &str) -> sqlx::Result<u64> {
    row.try_get::<i64, _>(column).map(|count| count.try_into().unwrap_or(0))
}

pub(super) fn maybe_count(row: &PgRow, column: &str) -> sqlx::Result<Option<u64>> {
    let count = row.try_get::<Option<i64>, _>(column)?;
    Ok(count.map(|count| count.try_into().unwrap_or(0)))
}

pub(super) fn maybe_seconds(row: &PgRow, column: &str) -> sqlx::Result<Option<Duration>> {
    Ok(row.try_get::<Option<f64>, _>(column)?.map(seconds))
}

pub(super) fn session(row: &PgRow) -> Fact<Session> {
    Ok(Session {
        pid: row.try_get("pid")?,
        user: row.try_get("user")?,
        application: row.try_get("application")?,
        state: row.try_get("state")?,
        open_for: maybe_seconds(row, "open_for")?,
        holds_back: maybe_count(row, "holds_back")?,
    })
}
