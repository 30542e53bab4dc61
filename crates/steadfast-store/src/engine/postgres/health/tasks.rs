//! The schema, and the leases and backlogs of its tasks.

use sqlx::Row;

use super::read::{Probe, maybe_seconds};
use crate::engine::postgres::migrate::SCHEMA_VERSION;
use crate::engine::postgres::read::BACKLOGS;
use crate::engine::row::EngineRow;
use crate::health::{Fact, Lapsed, Schema, Work};

const HAS_SCHEMA: &str = "SELECT EXISTS (SELECT FROM pg_class c \
     JOIN pg_namespace n ON n.oid = c.relnamespace \
     WHERE n.nspname = 'steadfast' AND c.relname = 'schema_versions')";
const SCHEMA: &str = "SELECT coalesce(max(version), 0) FROM steadfast.schema_versions";

impl Probe {
    pub(super) async fn schema(&mut self) -> Fact<Schema> {
        let found = match self.value(HAS_SCHEMA).await? {
            true => self.value(SCHEMA).await?,
            false => 0,
        };
        Ok(Schema { found, known: SCHEMA_VERSION })
    }

    pub(super) async fn work(&mut self) -> Fact<Work> {
        let row = self.row(include_str!("../sql/health_leases.sql")).await?;
        let mut work = Work { alive: row.count("alive")?, ..Work::default() };
        let leases = row.count("lapsed")?;
        if leases > 0 {
            work.lapsed = Some(Lapsed {
                leases,
                tasks: row.count("tasks")?,
                longest: maybe_seconds(&row, "longest")?.unwrap_or_default(),
                workers: row.try_get::<Option<_>, _>("workers")?.unwrap_or_default(),
            });
        }
        for row in self.fetch(sqlx::query(BACKLOGS)).await? {
            if let Some(since) = maybe_seconds(&row, "seconds")? {
                work.add_backlog(row.try_get("name")?, row.try_get("paused")?, since);
            }
        }
        Ok(work)
    }
}
