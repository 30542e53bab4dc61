//! The ledger of completed writes.
//!
//! An upsert looks idempotent, but it is not: a repeated one counts twice in a version or a weight,
//! and if another client wrote in between, it replaces the newer value. After most failures that does
//! not matter, since the database did nothing. But when the connection is lost during the commit, the
//! outcome is unknown, and reading the row does not help once others have changed it.
//!
//! So every write has a key, the same for all attempts of one session, and inserts it into this table
//! *in the same transaction*: either both are stored or neither is. An attempt that finds its key
//! already there does nothing. If the previous attempt is still committing, the insert waits for it.
//!
//! A key is needed only as long as its session may retry, so old keys are deleted: when a database is
//! opened, and after every `PRUNE_INTERVAL` writes.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use sqlx::{PgConnection, PgPool};
use steadfast::Key;

pub(crate) const TABLE: &str = "CREATE TABLE IF NOT EXISTS written (
    key text PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT now()
)";

/// Number of writes between two deletions of old keys.
const PRUNE_INTERVAL: u64 = 1000;

/// The number of writes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Writes(Arc<AtomicU64>);

impl Writes {
    /// Counts a write, and deletes old keys now and then. An error is ignored: the write is done, and
    /// the deletion is repeated later.
    pub(crate) async fn add(&self, pool: &PgPool) {
        if self.0.fetch_add(1, Ordering::Relaxed) % PRUNE_INTERVAL == PRUNE_INTERVAL - 1 {
            let _ = prune(pool).await;
        }
    }
}

/// The outcome of a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// Written by this attempt.
    Now,
    /// Written by an earlier attempt, whose response was lost.
    Before,
}

/// Inserts the key in the current transaction.
pub(crate) async fn claim(connection: &mut PgConnection, key: &Key) -> sqlx::Result<Written> {
    let insert = "INSERT INTO written (key) VALUES ($1) ON CONFLICT DO NOTHING";
    let inserted = sqlx::query(insert).bind(key.to_string()).execute(connection).await?;
    Ok(of(inserted.rows_affected()))
}

pub(crate) fn of(rows: u64) -> Written {
    if rows == 0 { Written::Before } else { Written::Now }
}

/// Deletes keys that are far older than any session.
pub(crate) async fn prune(pool: &PgPool) -> sqlx::Result<u64> {
    let delete = "DELETE FROM written WHERE at < now() - interval '1 hour'";
    Ok(sqlx::query(delete).execute(pool).await?.rows_affected())
}
