//! How breakers stand, and what is wanted of them.

use sqlx::Row;
use sqlx::postgres::PgRow;

use super::Postgres;
use super::audit;
use super::time::{Time, micros};
use crate::audit::AuditEntry;
use crate::control::Actor;
use crate::error::Result;
use crate::events::notifier::Wake;
use crate::report::breaker::{BreakerCommand, BreakerOverride, BreakerReport, GONE};

const REPORT: &str = include_str!("sql/report_breakers.sql");
const BREAKERS: &str = include_str!("sql/breakers.sql");
const ORDER: &str = include_str!("sql/order_breaker.sql");
const ORDERS: &str = include_str!("sql/breaker_orders.sql");

impl Postgres {
    pub(super) async fn keep_breakers(&self, reports: &[BreakerReport]) -> Result<()> {
        let bodies = reports.iter().map(serde_json::to_string).collect::<Result<Vec<_>, _>>();
        let bodies = bodies.map_err(|error| sqlx::Error::Encode(Box::new(error)))?;
        let policies: Vec<&str> = reports.iter().map(|report| report.policy.as_str()).collect();
        let instances: Vec<&str> = reports.iter().map(|report| report.instance.as_str()).collect();
        let report = sqlx::query(REPORT).bind(policies).bind(instances).bind(bodies);
        report.execute(&self.pool).await?;
        Ok(())
    }

    pub(super) async fn read_breakers(&self) -> Result<Vec<BreakerReport>> {
        let rows = sqlx::query(BREAKERS).bind(micros(GONE)).fetch_all(&self.pool).await?;
        let reports = rows.iter().map(report).collect::<Result<Vec<_>>>()?;
        Ok(reports.into_iter().flatten().collect())
    }

    pub(super) async fn want_of_breaker(
        &self,
        policy: &str,
        wish: BreakerCommand,
        by: &Actor,
    ) -> Result<()> {
        let mut transaction = self.pool.begin().await?;
        let order = sqlx::query(ORDER).bind(policy).bind(wish.name()).bind(&by.actor);
        order.bind(&by.from).execute(&mut *transaction).await?;
        let entry = AuditEntry::new(by.clone(), format!("breaker.{}", wish.name())).target(policy);
        audit::audit(&mut transaction, &entry).await?;
        transaction.commit().await?;
        self.announcer.tell(Wake::Breakers);
        Ok(())
    }

    pub(super) async fn read_breaker_orders(&self) -> Result<Vec<BreakerOverride>> {
        let rows = sqlx::query(ORDERS).fetch_all(&self.pool).await?;
        let orders = rows.iter().map(order).collect::<Result<Vec<_>>>()?;
        Ok(orders.into_iter().flatten().collect())
    }
}

/// Nothing for a report that only a newer version can read.
fn report(row: &PgRow) -> Result<Option<BreakerReport>> {
    let seen_at = Some(row.try_get::<Time, _>("seen_at")?.0);
    let report = serde_json::from_str::<BreakerReport>(row.try_get("report")?).ok();
    Ok(report.map(|report| BreakerReport { seen_at, ..report }))
}

/// Nothing for a wish that only a newer version knows.
fn order(row: &PgRow) -> Result<Option<BreakerOverride>> {
    let Some(wish) = BreakerCommand::named(row.try_get("wish")?) else {
        return Ok(None);
    };
    Ok(Some(BreakerOverride {
        number: row.try_get("number")?,
        policy: row.try_get("policy")?,
        wish,
        by: Actor { actor: row.try_get("actor")?, from: row.try_get("source")? },
        at: row.try_get::<Time, _>("at")?.0,
    }))
}
