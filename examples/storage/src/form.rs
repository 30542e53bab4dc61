//! Two ways to keep the same things, and which of them a server can.

mod extended;
mod plain;

use std::fmt;

use sqlx::PgConnection;

use crate::{Entity, Relation, ledger};

/// How a server keeps graphs and vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A graph of Apache AGE, vectors of pgvector.
    Extended,
    /// Plain tables, and distances over `float8[]`.
    Plain,
}

/// What the extended form takes.
const EXTENSIONS: [&str; 2] = ["age", "vector"];

impl Form {
    /// The form for a server: the extended one if it has both extensions.
    pub(crate) async fn of(connection: &mut PgConnection) -> sqlx::Result<Self> {
        let query = "SELECT count(*) FROM pg_available_extensions WHERE name = ANY ($1)";
        let count: i64 =
            sqlx::query_scalar(query).bind(EXTENSIONS.as_slice()).fetch_one(connection).await?;
        let has_all = usize::try_from(count).is_ok_and(|count| count == EXTENSIONS.len());
        Ok(if has_all { Self::Extended } else { Self::Plain })
    }

    /// What every session of the server is to be told when it begins.
    pub(crate) fn settings(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Extended => extended::SETTINGS,
            Self::Plain => &[],
        }
    }

    /// Makes the tables that are not there yet. Others may be doing the same.
    pub(crate) async fn prepare(self, connection: &mut PgConnection) -> sqlx::Result<()> {
        let statements = match self {
            Self::Extended => extended::TABLES,
            Self::Plain => plain::TABLES,
        };
        let one_at_a_time = "SELECT pg_advisory_lock(hashtext('storage'))";
        sqlx::query(one_at_a_time).execute(&mut *connection).await?;
        for statement in [ledger::TABLE].iter().chain(statements) {
            sqlx::raw_sql(*statement).execute(&mut *connection).await?;
        }
        Ok(())
    }

    /// Writes an entity, with a version that is one more than before.
    pub(crate) async fn merge_entity(
        self,
        connection: &mut PgConnection,
        project: &str,
        entity: &Entity,
    ) -> sqlx::Result<()> {
        match self {
            Self::Extended => extended::merge_entity(connection, project, entity).await,
            Self::Plain => plain::merge_entity(connection, project, entity).await,
        }
    }

    /// Keeps everybody else from changing an entity; says whether there is one.
    pub(crate) async fn lock_entity(
        self,
        connection: &mut PgConnection,
        project: &str,
        name: &str,
    ) -> sqlx::Result<bool> {
        match self {
            Self::Extended => extended::lock_entity(connection, project, name).await,
            Self::Plain => plain::lock_entity(connection, project, name).await,
        }
    }

    /// Writes a relation of two entities that are locked, with a weight that is one more
    /// than before.
    pub(crate) async fn merge_relation(
        self,
        connection: &mut PgConnection,
        project: &str,
        relation: &Relation,
    ) -> sqlx::Result<()> {
        match self {
            Self::Extended => extended::merge_relation(connection, project, relation).await,
            Self::Plain => plain::merge_relation(connection, project, relation).await,
        }
    }

    pub(crate) async fn version(
        self,
        connection: &mut PgConnection,
        project: &str,
        name: &str,
    ) -> sqlx::Result<Option<i64>> {
        match self {
            Self::Extended => extended::version(connection, project, name).await,
            Self::Plain => plain::version(connection, project, name).await,
        }
    }

    pub(crate) async fn weight(
        self,
        connection: &mut PgConnection,
        project: &str,
        relation: &Relation,
    ) -> sqlx::Result<Option<i64>> {
        match self {
            Self::Extended => extended::weight(connection, project, relation).await,
            Self::Plain => plain::weight(connection, project, relation).await,
        }
    }

    /// Takes a key, a project, an id, a text and an embedding. The key and the document are
    /// written by one statement: there is no commit to wait for besides.
    pub(crate) fn upsert_document(self) -> &'static str {
        match self {
            Self::Extended => extended::UPSERT_DOCUMENT,
            Self::Plain => plain::UPSERT_DOCUMENT,
        }
    }

    /// Takes a project, an embedding and how many.
    pub(crate) fn nearest_documents(self) -> &'static str {
        match self {
            Self::Extended => extended::NEAREST_DOCUMENTS,
            Self::Plain => plain::NEAREST_DOCUMENTS,
        }
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Extended => "a graph of Apache AGE, vectors of pgvector",
            Self::Plain => "plain tables, distances over float8[] (no Apache AGE and pgvector)",
        })
    }
}
