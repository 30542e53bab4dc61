//! The schema, brought up to date by whoever opens the store first (D14).

use sqlx::{Connection, PgConnection, PgPool};

use crate::error::{Result, StoreError};

/// Every step there ever was, in order. A step that was released is never changed.
const STEPS: &[&str] =
    &[include_str!("schema/0001_places.sql"), include_str!("schema/0002_breakers.sql")];

/// The newest schema that is known here.
pub(super) const KNOWN: i64 = STEPS.len() as i64;

/// The lock that lets one instance at a time look at the schema: "steadfast" as a number.
const LOCK: i64 = 0x73_7465_6164_6661;

pub(super) async fn migrate(pool: &PgPool) -> Result<()> {
    let mut connection = pool.acquire().await?;
    let mut transaction = connection.begin().await?;
    sqlx::query("SELECT pg_advisory_xact_lock($1)").bind(LOCK).execute(&mut *transaction).await?;
    let applied = version(&mut transaction).await?;
    if applied > KNOWN {
        return Err(StoreError::FromTheFuture { found: applied, known: KNOWN });
    }
    for (index, step) in STEPS.iter().enumerate().skip(usize::try_from(applied).unwrap_or(0)) {
        sqlx::raw_sql(*step).execute(&mut *transaction).await?;
        sqlx::query("INSERT INTO steadfast.schema_versions (version) VALUES ($1)")
            .bind(i64::try_from(index + 1).unwrap_or(i64::MAX))
            .execute(&mut *transaction)
            .await?;
    }
    transaction.commit().await?;
    Ok(())
}

/// The last step that was made, or 0.
async fn version(connection: &mut PgConnection) -> Result<i64> {
    let there: bool =
        sqlx::query_scalar("SELECT to_regclass('steadfast.schema_versions') IS NOT NULL")
            .fetch_one(&mut *connection)
            .await?;
    if !there {
        sqlx::raw_sql(include_str!("schema/0000_versions.sql")).execute(&mut *connection).await?;
    }
    let version =
        sqlx::query_scalar("SELECT coalesce(max(version), 0) FROM steadfast.schema_versions");
    Ok(version.fetch_one(connection).await?)
}
