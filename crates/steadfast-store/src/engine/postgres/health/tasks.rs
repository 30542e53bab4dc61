//! The schema, and the leases and backlogs of its tasks.

use sqlx::Row;

use super::read::{Probe, count, maybe_seconds};
use crate::engine::postgres::migrate::SCHEMA_VERSION;
use crate::health::{Fact, Lapsed, Schema, Work};

const HAS_SCHEMA: &str = "SELECT EXISTS (SELECT FROM pg_class c \
     JOIN pg_namespace n ON n.oid = c.relnamespace \
     WHERE n.nspname = 'steadfast' AND c.relname = 'schema_versions')";
const SCHEMA: &str = "SELECT coalesce(max(version), 0) FROM steadfast.schema_versions";
const LEASES: &str = include_str!("../sql/health_leases.sql");
const BACKLOGS: &str = include_str!("../sql/worker_status_backlogs.sql");

impl Probe {
    pub(super) async fn schema(&mut self) -> Fact<Schema> {
        let found = match self.value(HAS_SCHEMA).await? {
            true => self.value(SCHEMA).await?,
            false => 0,
        };
        Ok(Schema { found, known: SCHEMA_VERSION })
    }

    pub(super) async fn work(&mut self) -> Fact<Work> {
        let mut work = Work::default();
        self.leases(&mut work).await?;
        for row in self.rows(BACKLOGS).await? {
            if let Some(since) = maybe_seconds(&row, "seconds")? {
                work.add_backlog(row.try_get("name")?, row.try_get("paused")?, since);
            }
        }
        Ok(work)
    }

    async fn leases(&mut self, work: &mut Work) -> Fact<()> {
        let row = self.row(LEASES).await?;
        work.alive = count(&row, "alive")?;
        let leases = count(&row, "lapsed")?;
        if leases > 0 {
            work.lapsed = Some(Lapsed {
                leases,
                tasks: count(&row, "tasks")?,
                longest: maybe_seconds(&row, "longest")?.unwrap_or_default(),
                workers: row.try_get::<Option<_>, _>("workers")?.unwrap_or_default(),
            });
        }
        Ok(())
    }
}
