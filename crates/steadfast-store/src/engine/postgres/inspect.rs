//! Read-only inspection of a database.

use sqlx::{AssertSqlSafe, ConnectOptions, Connection, PgConnection};

use super::migrate::{self, SCHEMA_VERSION};
use super::options::{connect, connect_options, pool_options};
use crate::engine::inspect::{Inspection, Migration, TableRows};
use crate::engine::row::unsigned;
use crate::error::Result;

pub(crate) async fn inspect(url: &str) -> Result<Inspection> {
    let (options, _) = connect_options(url)?;
    let mut connection = options.connect().await?;
    let version: String =
        sqlx::query_scalar("SHOW server_version").fetch_one(&mut connection).await?;
    let bytes: i64 = sqlx::query_scalar(include_str!("sql/inspect_bytes.sql"))
        .fetch_one(&mut connection)
        .await?;
    let found = Inspection {
        engine: "PostgreSQL",
        version,
        applied: migrate::version(&mut connection).await?,
        known: SCHEMA_VERSION,
        bytes: unsigned(bytes),
        journal_mode: None,
        tables: tables(&mut connection).await?,
    };
    connection.close().await?;
    Ok(found)
}

pub(crate) async fn migrate(url: &str) -> Result<Migration> {
    let (options, listens) = connect_options(url)?;
    let pool = connect(pool_options(listens), options).await?;
    let from = migrate::migrate(&pool).await?;
    pool.close().await;
    Ok(Migration { from, to: SCHEMA_VERSION })
}

async fn tables(connection: &mut PgConnection) -> Result<Vec<TableRows>> {
    let names: Vec<String> = sqlx::query_scalar(include_str!("sql/inspect_tables.sql"))
        .fetch_all(&mut *connection)
        .await?;
    let mut tables = Vec::with_capacity(names.len());
    for name in names {
        // The name is from the schema, not from input.
        let count = AssertSqlSafe(format!("SELECT count(*) FROM steadfast.\"{name}\""));
        let rows: i64 = sqlx::query_scalar(count).fetch_one(&mut *connection).await?;
        tables.push(TableRows { name, rows: unsigned(rows) });
    }
    Ok(tables)
}
