//! Schema migrations, applied by the first instance that opens the store (D14).

use sqlx::{Connection, PgConnection, PgPool};

use crate::engine::inspect::check_schema_version;
use crate::error::Result;

/// Every migration in order. The statements of a released migration never change.
const MIGRATIONS: [&str; 6] = [
    include_str!("migrations/0001_places.sql"),
    include_str!("migrations/0002_breakers.sql"),
    include_str!("migrations/0003_sums.sql"),
    include_str!("migrations/0004_executions.sql"),
    include_str!("migrations/0005_reports.sql"),
    include_str!("migrations/0006_kinds.sql"),
];

pub(super) const SCHEMA_VERSION: i64 = MIGRATIONS.len() as i64;

/// The advisory lock of migrations: "steadfast" as a number.
const MIGRATION_LOCK: i64 = 0x73_7465_6164_6661;

/// Applies the missing migrations, and returns the version before.
pub(super) async fn migrate(pool: &PgPool) -> Result<i64> {
    let mut connection = pool.acquire().await?;
    let mut transaction = connection.begin().await?;
    sqlx::query("SELECT pg_advisory_xact_lock($1)")
        .bind(MIGRATION_LOCK)
        .execute(&mut *transaction)
        .await?;
    if !has_schema(&mut transaction).await? {
        let versions = include_str!("migrations/0000_versions.sql");
        sqlx::raw_sql(versions).execute(&mut *transaction).await?;
    }
    let applied = check_schema_version(version(&mut transaction).await?, SCHEMA_VERSION)?;
    for (number, migration) in (1_i64..).zip(MIGRATIONS).filter(|(number, _)| *number > applied) {
        sqlx::raw_sql(migration).execute(&mut *transaction).await?;
        sqlx::query("INSERT INTO steadfast.schema_versions (version) VALUES ($1)")
            .bind(number)
            .execute(&mut *transaction)
            .await?;
    }
    transaction.commit().await?;
    Ok(applied)
}

/// The last applied migration, or 0.
pub(super) async fn version(connection: &mut PgConnection) -> Result<i64> {
    if !has_schema(connection).await? {
        return Ok(0);
    }
    let version =
        sqlx::query_scalar("SELECT coalesce(max(version), 0) FROM steadfast.schema_versions");
    Ok(version.fetch_one(connection).await?)
}

async fn has_schema(connection: &mut PgConnection) -> Result<bool> {
    let there = "SELECT to_regclass('steadfast.schema_versions') IS NOT NULL";
    Ok(sqlx::query_scalar(there).fetch_one(connection).await?)
}
