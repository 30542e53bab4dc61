//! Read-only inspection of a file.

use std::path::Path;

use sqlx::{AssertSqlSafe, ConnectOptions, Connection, SqliteConnection};

use super::health::files::with;
use super::migrate::{self, SCHEMA_VERSION};
use super::options::Options;
use crate::engine::inspect::{Inspection, Migration, TableRows};
use crate::error::{Result, StoreError};

const TABLES: &str = r"SELECT name FROM sqlite_schema WHERE type = 'table'
     AND name LIKE 'steadfast\_%' ESCAPE '\' AND name <> 'steadfast_schema' ORDER BY name";
const BYTES: &str = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size";

const PREFIX: &str = "steadfast_";

pub(crate) async fn inspect(url: &str) -> Result<Inspection> {
    let options = Options::parse(url)?;
    if options.path().is_some_and(|path| !path.exists()) {
        let problem = "there is no such file".to_owned();
        return Err(StoreError::Url { url: url.to_owned(), problem });
    }
    read(&options).await.map_err(|error| options.explain(error))
}

/// Migrates the file of a URL. In memory there is nothing to migrate.
pub(crate) async fn migrate(url: &str) -> Result<Migration> {
    let options = Options::parse(url)?;
    let migrated = match options.path() {
        Some(_) => migrate::prepare(&options).await,
        None => Ok(0),
    };
    let from = migrated.map_err(|error| options.explain(error))?;
    Ok(Migration { from, to: SCHEMA_VERSION })
}

async fn read(options: &Options) -> Result<Inspection> {
    let mut connection = options.reading().connect().await?;
    let found = Inspection {
        engine: "SQLite",
        version: one(&mut connection, "SELECT sqlite_version()").await?,
        applied: migrate::version(&mut connection).await?,
        known: SCHEMA_VERSION,
        bytes: bytes(&mut connection, options.path()).await?,
        journal_mode: Some(one(&mut connection, "PRAGMA journal_mode").await?),
        tables: tables(&mut connection).await?,
    };
    connection.close().await?;
    Ok(found)
}

async fn one(connection: &mut SqliteConnection, statement: &'static str) -> Result<String> {
    Ok(sqlx::query_scalar(statement).fetch_one(connection).await?)
}

/// The size of the file and of its write-ahead log.
async fn bytes(connection: &mut SqliteConnection, path: Option<&Path>) -> Result<u64> {
    let file: i64 = sqlx::query_scalar(BYTES).fetch_one(connection).await?;
    let log = path.and_then(|path| std::fs::metadata(with(path, "-wal")).ok());
    Ok(file.unsigned_abs() + log.map_or(0, |log| log.len()))
}

async fn tables(connection: &mut SqliteConnection) -> Result<Vec<TableRows>> {
    let names: Vec<String> = sqlx::query_scalar(TABLES).fetch_all(&mut *connection).await?;
    let mut tables = Vec::with_capacity(names.len());
    for table in names {
        // The name is from the schema, not from input.
        let count = AssertSqlSafe(format!("SELECT count(*) FROM \"{table}\""));
        let rows: i64 = sqlx::query_scalar(count).fetch_one(&mut *connection).await?;
        let name = table.strip_prefix(PREFIX).unwrap_or(&table).to_owned();
        tables.push(TableRows { name, rows: rows.unsigned_abs() });
    }
    Ok(tables)
}
