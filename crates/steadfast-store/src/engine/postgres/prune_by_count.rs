//! Forgetting the oldest of too many ended tasks (D14).
//!
//! Which of them are too many is known only when all were looked at. So that is found once for a
//! round, and the pieces of the round are taken from what is older than that: what is up to there is
//! too much, whoever else forgets some of it meanwhile.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use sqlx::Row;
use uuid::Uuid;

use super::Postgres;
use super::time::Time;
use crate::error::Result;

const UP_TO: &str = include_str!("sql/prune_surplus_up_to.sql");
const FORGET: &str = include_str!("sql/prune_surplus.sql");

/// What was found holds for so long at most: ended tasks may be tried again.
const ROUND: Duration = Duration::from_secs(60);

/// The newest that is too much.
#[derive(Clone, Copy, Debug)]
struct Newest {
    ended_at: Time,
    id: Uuid,
}

/// What the round under way goes up to.
#[derive(Debug, Default)]
pub(super) struct Surplus(Mutex<Option<Round>>);

#[derive(Clone, Copy, Debug)]
struct Round {
    kept: i64,
    began: Instant,
    newest: Newest,
}

impl Surplus {
    fn under_way(&self, kept: i64) -> Option<Newest> {
        let round = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let holds = |round: &Round| round.kept == kept && round.began.elapsed() < ROUND;
        round.filter(holds).map(|round| round.newest)
    }

    fn begin(&self, kept: i64, newest: Newest) {
        let round = Round { kept, began: Instant::now(), newest };
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(round);
    }

    fn end(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

impl Postgres {
    /// Forgets up to so many of those that are more than are kept.
    pub(super) async fn forget_surplus(&self, kept: u64, most: i64) -> Result<u64> {
        if most <= 0 {
            return Ok(0);
        }
        let kept = i64::try_from(kept).unwrap_or(i64::MAX);
        if let Some(newest) = self.surplus.under_way(kept) {
            let forgotten = self.forget_up_to(newest, most).await?;
            if forgotten > 0 {
                return Ok(forgotten);
            }
        }
        self.surplus.end();
        let Some(row) = sqlx::query(UP_TO).bind(kept).fetch_optional(&self.pool).await? else {
            return Ok(0);
        };
        let newest = Newest { ended_at: row.try_get(0)?, id: row.try_get(1)? };
        self.surplus.begin(kept, newest);
        self.forget_up_to(newest, most).await
    }

    async fn forget_up_to(&self, newest: Newest, most: i64) -> Result<u64> {
        let piece = sqlx::query(FORGET).bind(newest.ended_at).bind(newest.id).bind(most);
        Ok(piece.execute(&self.pool).await?.rows_affected())
    }
}
