//! How breakers stand, and what is wanted of them.

use std::time::Duration;

use sqlx::sqlite::SqliteRow;
use sqlx::{Row, SqliteConnection};

use super::audit;
use super::row::{before, json, read, timestamp};
use crate::audit::AuditEntry;
use crate::control::Actor;
use crate::error::Result;
use crate::report::breaker::{BreakerCommand, BreakerOverride, BreakerReport, GONE};

const REPORT: &str = include_str!("sql/breakers_report.sql");
const FORGET: &str = include_str!("sql/breakers_gone.sql");
const LIST: &str = include_str!("sql/breakers_list.sql");
const ORDER: &str = include_str!("sql/breaker_order.sql");
const ORDERS: &str = include_str!("sql/breaker_orders.sql");

/// Reports that are older than this are of no use to anybody.
const KEPT: Duration = Duration::from_secs(3600);

/// Writes down how breakers stand.
pub(super) async fn report(
    connection: &mut SqliteConnection,
    reports: &[BreakerReport],
    now: i64,
) -> Result<()> {
    sqlx::query(FORGET).bind(before(now, KEPT)).execute(&mut *connection).await?;
    let row = |report: &BreakerReport| {
        Ok((report.policy.clone(), report.instance.clone(), json(report)?))
    };
    let rows = json(&reports.iter().map(row).collect::<Result<Vec<_>>>()?)?;
    sqlx::query(REPORT).bind(rows).bind(now).execute(connection).await?;
    Ok(())
}

/// How they stand, of those instances that are still there.
pub(super) async fn list(
    connection: &mut SqliteConnection,
    now: i64,
) -> Result<Vec<BreakerReport>> {
    let rows = sqlx::query(LIST).bind(before(now, GONE)).fetch_all(connection).await?;
    let reports = rows.iter().map(read_report).collect::<Result<Vec<_>>>()?;
    Ok(reports.into_iter().flatten().collect())
}

/// Nothing for a report that only a newer version can read.
fn read_report(row: &SqliteRow) -> Result<Option<BreakerReport>> {
    let seen_at = Some(timestamp(row.try_get("seen_at")?));
    let report = read::<BreakerReport>(row.try_get("report")?).ok();
    Ok(report.map(|report| BreakerReport { seen_at, ..report }))
}

/// Writes down what somebody wants.
pub(super) async fn order(
    connection: &mut SqliteConnection,
    policy: &str,
    wish: BreakerCommand,
    by: Actor,
    now: i64,
) -> Result<()> {
    let order = sqlx::query(ORDER).bind(policy).bind(wish.name()).bind(now);
    order.bind(&by.actor).bind(&by.from).execute(&mut *connection).await?;
    let entry = AuditEntry::new(by, format!("breaker.{}", wish.name())).target(policy);
    audit::audit(connection, &entry, now).await
}

/// What was last wanted of each.
pub(super) async fn orders(connection: &mut SqliteConnection) -> Result<Vec<BreakerOverride>> {
    let rows = sqlx::query(ORDERS).fetch_all(connection).await?;
    let orders = rows.iter().map(read_order).collect::<Result<Vec<_>>>()?;
    Ok(orders.into_iter().flatten().collect())
}

/// Nothing for a wish that only a newer version knows.
fn read_order(row: &SqliteRow) -> Result<Option<BreakerOverride>> {
    let Some(wish) = BreakerCommand::named(row.try_get("wish")?) else {
        return Ok(None);
    };
    Ok(Some(BreakerOverride {
        number: row.try_get("number")?,
        policy: row.try_get("policy")?,
        wish,
        by: Actor { actor: row.try_get("actor")?, from: row.try_get("origin")? },
        at: timestamp(row.try_get("at")?),
    }))
}
