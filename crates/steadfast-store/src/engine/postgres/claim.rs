//! Claiming due tasks and extending leases (D4 to D7).

use std::sync::LazyLock;
use std::time::Duration;

use async_trait::async_trait;
use sqlx::postgres::{PgPool, PgRow};
use sqlx::{AssertSqlSafe, Row};

use super::row::{column, int};
use super::{Postgres, lease};
use crate::engine::Claim;
use crate::engine::row::signed;
use crate::engine::time::{Time, micros};
use crate::error::Result;
use crate::queue::cancel_guard::Guarded;
use crate::queue::claim::{ClaimRequest, Claimed, Claims, FencingToken, Heartbeat};
use crate::task::TaskId;

const CLAIM: &str = include_str!("sql/claim.sql");
static CLAIM_ANY: LazyLock<String> =
    LazyLock::new(|| claim_statement("", include_str!("sql/claim_any.sql")));
static CLAIM_CATEGORY: LazyLock<String> =
    LazyLock::new(|| claim_statement("r.category,", include_str!("sql/claim_category.sql")));
const CLAIM_MAX_BYTES: &str = include_str!("sql/claim_max_bytes.sql");
/// The source of a claim without a byte limit.
const LOCKED: &str = "locked /* max bytes */";

#[async_trait]
impl Claim for Postgres {
    async fn claim(&self, request: &ClaimRequest) -> Result<Claims> {
        let claim = async {
            let rows = claim_rows(self.pool.clone(), request.clone());
            let Guarded { answer: rows, guard } = self.release_if_cancelled(rows).await?;
            let tasks = self.decode_claimed(&rows, |task, _| Ok(task)).await?;
            let now = match rows.first() {
                Some(row) => row.try_get::<Time, _>(17)?.0,
                None => self.database_time().await?,
            };
            guard.disarm();
            Ok(Claims { now, tasks })
        };
        self.deadline.short(claim).await
    }

    async fn heartbeat(
        &self,
        leases: &[FencingToken],
        running: &[TaskId],
        lease: Duration,
    ) -> Result<Heartbeat> {
        self.deadline.short(lease::heartbeat(&self.pool, leases, running, lease)).await
    }

    async fn held(&self, id: TaskId, fencing_token: FencingToken) -> Result<Option<Claimed>> {
        self.deadline.short(lease::held(self, id, fencing_token)).await
    }
}

async fn claim_rows(pool: PgPool, request: ClaimRequest) -> Result<Vec<PgRow>> {
    let statement = match &request.categories {
        None => CLAIM_ANY.as_str(),
        Some(_) => CLAIM_CATEGORY.as_str(),
    };
    let statement = match request.bytes {
        None => sqlx::query(statement),
        Some(bytes) => sqlx::query(AssertSqlSafe(with_max_bytes(statement, bytes))),
    };
    let queues = &*request.queues;
    let statement = statement
        .bind(column(queues, |queue| queue.queue.as_str()))
        .bind(column(queues, |queue| int(queue.limit)))
        .bind(column(queues, |queue| queue.after.map(|cursor| !cursor.priority)))
        .bind(column(queues, |queue| queue.after.map(|cursor| Time(cursor.submitted_at))))
        .bind(column(queues, |queue| queue.after.map(|cursor| cursor.id.uuid())))
        .bind(int(request.limit))
        .bind(&request.worker)
        .bind(micros(request.lease))
        .bind(&request.categories)
        .bind(&request.kinds);
    Ok(statement.fetch_all(&pool).await?)
}

/// The claim statement with these conditions on a row of `ready`.
fn claim_statement(category: &str, conditions: &str) -> String {
    CLAIM.replace("/* category, */", category).replace("/* conditions */", conditions)
}

/// The same statement with a limit on the bytes of payloads. It reads the length of each payload,
/// which a claim without a limit need not.
fn with_max_bytes(statement: &str, bytes: u64) -> String {
    let bytes = signed(bytes).max(1).to_string();
    let limited = CLAIM_MAX_BYTES.replace("/* bytes */", &bytes);
    statement.replace(LOCKED, &format!("({limited}) AS locked"))
}
