//! The schema, brought up to date by whoever opens the store first (D14).

use sqlx::{Connection, PgConnection, PgPool};

use crate::engine::inspect::not_from_the_future;
use crate::error::Result;

/// Every step there ever was, in order. A step that was released is never changed.
const STEPS: [&str; 6] = [
    include_str!("migrations/0001_places.sql"),
    include_str!("migrations/0002_breakers.sql"),
    include_str!("migrations/0003_sums.sql"),
    include_str!("migrations/0004_executions.sql"),
    include_str!("migrations/0005_reports.sql"),
    include_str!("migrations/0006_kinds.sql"),
];

/// The newest schema that is known here.
pub(super) const KNOWN: i64 = STEPS.len() as i64;

/// The lock that lets one instance at a time look at the schema: "steadfast" as a number.
const LOCK: i64 = 0x73_7465_6164_6661;

/// Applies what is missing to the version that it answers with.
pub(super) async fn migrate(pool: &PgPool) -> Result<i64> {
    let mut connection = pool.acquire().await?;
    let mut transaction = connection.begin().await?;
    sqlx::query("SELECT pg_advisory_xact_lock($1)").bind(LOCK).execute(&mut *transaction).await?;
    if !is_there(&mut transaction).await? {
        let versions = include_str!("migrations/0000_versions.sql");
        sqlx::raw_sql(versions).execute(&mut *transaction).await?;
    }
    let applied = not_from_the_future(version(&mut transaction).await?, KNOWN)?;
    for (number, step) in (1_i64..).zip(STEPS).filter(|(number, _)| *number > applied) {
        sqlx::raw_sql(step).execute(&mut *transaction).await?;
        sqlx::query("INSERT INTO steadfast.schema_versions (version) VALUES ($1)")
            .bind(number)
            .execute(&mut *transaction)
            .await?;
    }
    transaction.commit().await?;
    Ok(applied)
}

/// The last step that was made, or 0.
pub(super) async fn version(connection: &mut PgConnection) -> Result<i64> {
    if !is_there(connection).await? {
        return Ok(0);
    }
    let version =
        sqlx::query_scalar("SELECT coalesce(max(version), 0) FROM steadfast.schema_versions");
    Ok(version.fetch_one(connection).await?)
}

/// Whether any step was ever made.
async fn is_there(connection: &mut PgConnection) -> Result<bool> {
    let there = "SELECT to_regclass('steadfast.schema_versions') IS NOT NULL";
    Ok(sqlx::query_scalar(there).fetch_one(connection).await?)
}
