//! The ledger of completed writes.
//!
//! An upsert looks as if it could be repeated at will. It cannot: a repeated one counts twice
//! in a version or a weight, and if somebody else wrote in between it puts an old value over
//! a newer one. After most failures that does not matter, since the database did nothing. But
//! when the connection dies during the commit nobody knows, and asking the row does not help
//! once others have changed it.
//!
//! So every write brings a key, the same for all attempts of one session, and keeps it in this
//! table *in the same transaction*. Either both are there or neither is. An attempt that finds
//! its key has been here before and does nothing; if the attempt before is still committing
//! the database lets this one wait for it.
//!
//! A key is of use only as long as its session may try again, so old ones are forgotten: when a
//! database is opened, and after every so many writes to it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use sqlx::{PgConnection, PgPool};
use steadfast::Key;

pub(crate) const TABLE: &str = "CREATE TABLE IF NOT EXISTS written (
    key text PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT now()
)";

/// After how many writes old keys are forgotten.
const PRUNED_EVERY: u64 = 1000;

/// How many writes there were.
#[derive(Clone, Debug, Default)]
pub(crate) struct Writes(Arc<AtomicU64>);

impl Writes {
    /// One more: now and then old keys are forgotten. If that fails, so be it: the write is done,
    /// and the next time comes.
    pub(crate) async fn add(&self, pool: &PgPool) {
        if self.0.fetch_add(1, Ordering::Relaxed) % PRUNED_EVERY == PRUNED_EVERY - 1 {
            let _ = prune(pool).await;
        }
    }
}

/// What became of a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// This attempt did it.
    Now,
    /// An attempt whose answer was lost had done it.
    Before,
}

/// Claims the key for the transaction under way.
pub(crate) async fn claim(connection: &mut PgConnection, key: &Key) -> sqlx::Result<Written> {
    let insert = "INSERT INTO written (key) VALUES ($1) ON CONFLICT DO NOTHING";
    let inserted = sqlx::query(insert).bind(key.to_string()).execute(connection).await?;
    Ok(of(inserted.rows_affected()))
}

pub(crate) fn of(rows: u64) -> Written {
    if rows == 0 { Written::Before } else { Written::Now }
}

/// Forgets keys that are far older than any session gets.
pub(crate) async fn prune(pool: &PgPool) -> sqlx::Result<u64> {
    let delete = "DELETE FROM written WHERE at < now() - interval '1 hour'";
    Ok(sqlx::query(delete).execute(pool).await?.rows_affected())
}
