//! The schema, and who works on the tasks in it.

use sqlx::Row;

use super::read::{Look, count, maybe_seconds};
use crate::engine::postgres::migrate::KNOWN;
use crate::health::{Lapsed, Schema, Seen, Work};

const HAS_SCHEMA: &str = include_str!("../sql/health_has_schema.sql");
const SCHEMA: &str = include_str!("../sql/health_schema.sql");
const LEASES: &str = include_str!("../sql/health_leases.sql");
const LINES: &str = include_str!("../sql/lines.sql");

impl Look {
    pub(super) async fn schema(&mut self) -> Seen<Schema> {
        let found = match self.value(HAS_SCHEMA).await? {
            true => self.value(SCHEMA).await?,
            false => 0,
        };
        Ok(Schema { found, known: KNOWN })
    }

    pub(super) async fn work(&mut self) -> Seen<Work> {
        let mut work = Work::default();
        self.leases(&mut work).await?;
        for row in self.rows(LINES).await? {
            if let Some(since) = maybe_seconds(&row, "seconds")? {
                work.line(row.try_get("name")?, row.try_get("paused")?, since);
            }
        }
        Ok(work)
    }

    async fn leases(&mut self, work: &mut Work) -> Seen<()> {
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
