//! The forms of graphs and vectors in a database: Apache AGE and pgvector, or plain tables.
//!
//! A form consists of its SQL statements.

mod extended;
mod plain;

use std::fmt;

use serde_json::Value;
use sqlx::encode::IsNull;
use sqlx::error::BoxDynError;
use sqlx::postgres::types::Oid;
use sqlx::postgres::{PgArgumentBuffer, PgTypeInfo};
use sqlx::{Encode, PgConnection, Postgres, Type};

use crate::ledger;

/// The form of graphs and vectors in a database.
#[derive(Debug)]
pub struct Form {
    /// Its description.
    words: &'static str,
    /// Settings of every session.
    pub(crate) settings: &'static [(&'static str, &'static str)],
    /// Creates missing objects.
    tables: &'static [&'static str],
    /// Locks an entity.
    pub(crate) lock_entity: &'static str,
    /// Writes a locked entity and increments its version.
    pub(crate) merge_entity: &'static str,
    /// How often an entity was written.
    pub(crate) version: &'static str,
    /// Adds one to the weight of a relation of two locked entities, if it exists.
    pub(crate) add_weight: &'static str,
    /// Creates a relation of two locked entities.
    pub(crate) create_relation: &'static str,
    /// How often a relation was written.
    pub(crate) weight: &'static str,
    /// Takes a key, a project, an id, a text and an embedding. The key and the document are
    /// written by one statement, so there is only one commit.
    pub(crate) upsert_document: &'static str,
    /// Takes a project, an embedding and a limit.
    pub(crate) nearest_documents: &'static str,
}

/// The extensions that the extended form needs.
const EXTENSIONS: [&str; 2] = ["age", "vector"];

impl Form {
    /// The form for a server: the extended one if it has both extensions.
    pub(crate) async fn of(connection: &mut PgConnection) -> sqlx::Result<&'static Self> {
        let query = "SELECT count(*) FROM pg_available_extensions WHERE name = ANY ($1)";
        let count: i64 =
            sqlx::query_scalar(query).bind(EXTENSIONS.as_slice()).fetch_one(connection).await?;
        Ok(if count == 2 { &extended::FORM } else { &plain::FORM })
    }

    /// Creates missing tables. Other processes may do the same concurrently.
    pub(crate) async fn prepare(&self, connection: &mut PgConnection) -> sqlx::Result<()> {
        let one_at_a_time = "SELECT pg_advisory_lock(hashtext('storage'))";
        sqlx::query(one_at_a_time).execute(&mut *connection).await?;
        for statement in [ledger::TABLE].iter().chain(self.tables) {
            sqlx::raw_sql(*statement).execute(&mut *connection).await?;
        }
        Ok(())
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.words)
    }
}

/// Runs a statement about the graph. Returns a number, if the entity or relation exists.
pub(crate) async fn ask(
    connection: &mut PgConnection,
    statement: &'static str,
    about: &Value,
) -> sqlx::Result<Option<i64>> {
    sqlx::query_scalar(statement).bind(About(about)).fetch_optional(connection).await
}

/// The parameters of a statement: `jsonb` for a plain table and `agtype` for AGE. On the wire both
/// are a version, 1, and JSON.
struct About<'a>(&'a Value);

impl Type<Postgres> for About<'_> {
    /// `unknown`, whose type PostgreSQL infers from the statement.
    fn type_info() -> PgTypeInfo {
        PgTypeInfo::with_oid(Oid(705))
    }
}

impl Encode<'_, Postgres> for About<'_> {
    fn encode_by_ref(&self, buffer: &mut PgArgumentBuffer) -> Result<IsNull, BoxDynError> {
        buffer.push(1);
        buffer.extend(self.0.to_string().as_bytes());
        Ok(IsNull::No)
    }
}
