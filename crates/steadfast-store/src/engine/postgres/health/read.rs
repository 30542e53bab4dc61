//! Statements in read-only transactions.

use std::time::Duration;

use sqlx::postgres::{PgArguments, PgConnection, PgRow};
use sqlx::query::Query;
use sqlx::{Connection as _, Postgres, Transaction};

use crate::engine::row::{Column, EngineRow};
use crate::health::{Fact, Session, seconds};

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
        sqlx::raw_sql(include_str!("../sql/health_session.sql")).execute(&mut *transaction).await?;
        Ok(transaction)
    }

    pub(super) async fn all<T>(
        &mut self,
        statement: &'static str,
        decode: impl Fn(&PgRow) -> Fact<T>,
    ) -> Fact<Vec<T>> {
        self.fetch(sqlx::query(statement)).await?.iter().map(decode).collect()
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
        let rows = self.fetch(sqlx::query(statement)).await?;
        Ok(rows.into_iter().next().ok_or(sqlx::Error::RowNotFound)?)
    }

    /// The value of a statement that always returns one.
    pub(super) async fn value<T: Column>(&mut self, statement: &'static str) -> Fact<T> {
        Ok(sqlx::Row::try_get(&self.row(statement).await?, 0)?)
    }
}

pub(super) fn maybe_seconds(row: &PgRow, column: &str) -> sqlx::Result<Option<Duration>> {
    Ok(row.get::<Option<f64>>(column)?.map(seconds))
}

pub(super) fn session(row: &PgRow) -> Fact<Session> {
    Ok(Session {
        pid: row.get("pid")?,
        user: row.get("user")?,
        application: row.get("application")?,
        state: row.get("state")?,
        open_for: maybe_seconds(row, "open_for")?,
        holds_back: row.maybe_count("holds_back")?,
    })
}
