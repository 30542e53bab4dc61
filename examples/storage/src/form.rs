//! How a server keeps graphs and vectors: the extensions made for it where it has them, plain
//! tables where it has not. A form is its statements and nothing else.

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

/// How a server keeps graphs and vectors.
#[derive(Debug)]
pub struct Form {
    /// What it is, for people.
    words: &'static str,
    /// What every session of the server is to be told when it begins.
    pub(crate) settings: &'static [(&'static str, &'static str)],
    /// Makes what is not there yet.
    tables: &'static [&'static str],
    /// Keeps everybody else from changing an entity.
    pub(crate) lock_entity: &'static str,
    /// Writes a locked entity, with a version that is one more than before.
    pub(crate) merge_entity: &'static str,
    /// How often an entity was written.
    pub(crate) version: &'static str,
    /// Adds one to the weight of a relation of two locked entities, if it is there.
    pub(crate) add_weight: &'static str,
    /// Writes a relation of two locked entities that is not there.
    pub(crate) create_relation: &'static str,
    /// How often a relation was written.
    pub(crate) weight: &'static str,
    /// Takes a key, a project, an id, a text and an embedding. The key and the document are
    /// written by one statement: there is no commit to wait for besides.
    pub(crate) upsert_document: &'static str,
    /// Takes a project, an embedding and how many.
    pub(crate) nearest_documents: &'static str,
}

/// What the extended form takes.
const EXTENSIONS: [&str; 2] = ["age", "vector"];

impl Form {
    /// The form for a server: the extended one if it has both extensions.
    pub(crate) async fn of(connection: &mut PgConnection) -> sqlx::Result<&'static Self> {
        let query = "SELECT count(*) FROM pg_available_extensions WHERE name = ANY ($1)";
        let count: i64 =
            sqlx::query_scalar(query).bind(EXTENSIONS.as_slice()).fetch_one(connection).await?;
        Ok(if count == 2 { &extended::FORM } else { &plain::FORM })
    }

    /// Makes the tables that are not there yet. Others may be doing the same.
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

/// What a statement about the graph answers: a number, if there is what it is about.
pub(crate) async fn ask(
    connection: &mut PgConnection,
    statement: &'static str,
    about: &Value,
) -> sqlx::Result<Option<i64>> {
    sqlx::query_scalar(statement).bind(About(about)).fetch_optional(connection).await
}

/// What a statement is about: `jsonb` to a plain table and `agtype` to AGE, as the statement
/// says. On the wire both are a version, 1, and JSON.
struct About<'a>(&'a Value);

impl Type<Postgres> for About<'_> {
    /// `unknown`, which PostgreSQL takes for whatever is wanted in this place.
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
