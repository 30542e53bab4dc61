//! What has to be done from time to time.

use std::sync::Mutex;
use std::sync::PoisonError;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use sqlx::Row;
use uuid::Uuid;

use super::row::{column, unsigned};
use super::time::{Time, micros};
use super::{Postgres, audit};
use crate::audit::AuditEntry;
use crate::error::Result;
use crate::events::notifier::Wake;
use crate::events::record::RecordKind;
use crate::maintenance::history_codec;
use crate::maintenance::retention::{Pruned, Retention};
use crate::queue::claim::Claimed;
use crate::queue::settle::Promoted;

const PROMOTE: &str = include_str!("sql/promote.sql");
const NEXT_DUE: &str = include_str!("sql/next_due.sql");
const SEIZE: &str = include_str!("sql/reclaim_expired.sql");
const PRUNE_WOULD: &str = include_str!("sql/prune_would.sql");
const PRUNE_AGED: &str = include_str!("sql/prune_aged.sql");
const PRUNE_HOLDS: &str = include_str!("sql/prune_holds.sql");
const PRUNE_FAULTS: &str = include_str!("sql/prune_faults.sql");
const PRUNE_RECORDS: &str = include_str!("sql/prune_records.sql");
const PRUNE_SUMS: &str = include_str!("sql/prune_sums.sql");
const PRUNE_AUDIT: &str = include_str!("sql/prune_audit.sql");
const TO_PACK: &str = include_str!("sql/to_pack.sql");
const HOLD_STILL: &str = include_str!("sql/hold_still.sql");
const PACK: &str = include_str!("sql/pack.sql");

/// How far back a usual look for due tasks goes, and how often all of them are looked at.
///
/// Tasks leave the line of waiting ones at its head. While an old transaction is open, the
/// database may not forget those that have left, and each look from the head steps over all of
/// them. A task appears behind the head only if whoever wrote it committed that much later than
/// it was due.
const NEAR: Duration = Duration::from_secs(60);

/// When all waiting tasks were last looked at.
#[derive(Debug, Default)]
pub(super) struct Promotions(Mutex<Option<(Instant, Timestamp)>>);

impl Promotions {
    /// From when on to look this time.
    fn from(&self) -> Timestamp {
        match *self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            Some((looked, now)) if looked.elapsed() < NEAR => {
                now.checked_sub(NEAR).unwrap_or(Timestamp::MIN)
            }
            _ => Timestamp::MIN,
        }
    }

    /// Nothing was left over when everything from `from` on was looked at.
    fn looked(&self, from: Timestamp, now: Timestamp) {
        if from == Timestamp::MIN {
            *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((Instant::now(), now));
        }
    }
}

impl Postgres {
    pub(super) async fn promote_due(&self, limit: u32) -> Result<Promoted> {
        let from = self.promotions.from();
        let mut connection = self.pool.acquire().await?;
        let row = sqlx::query(PROMOTE)
            .bind(column(limit))
            .bind(Time(from))
            .fetch_one(&mut *connection)
            .await?;
        let number = |column| row.try_get::<i64, usize>(column).map(unsigned);
        let (count, looked_at) = (number(0)?, number(2)?);
        let now = row.try_get::<Time, _>(1)?.0;
        let is_all = looked_at < u64::from(limit);
        if is_all {
            self.promotions.looked(from, now);
        }
        let after = if is_all { now } else { from };
        let next: Option<Time> =
            sqlx::query_scalar(NEXT_DUE).bind(Time(after)).fetch_optional(&mut *connection).await?;
        if count > 0 {
            self.announcer.tell(Wake::Ready);
        }
        Ok(Promoted { count, next: next.map(|time| time.0), now })
    }

    /// Goes from lease to lease until one of them has a task that is still open and can be read.
    pub(super) async fn seize_lost(
        &self,
        worker: &str,
        limit: u32,
    ) -> Result<Vec<(Claimed, String)>> {
        if limit == 0 {
            return Ok(Vec::new());
        }
        loop {
            let reclaim_expired = sqlx::query(SEIZE).bind(worker).bind(column(limit));
            let rows = reclaim_expired.fetch_all(&self.pool).await?;
            let has_none = match rows.first() {
                Some(row) => row.try_get::<Option<Uuid>, _>(0)?.is_none(),
                None => return Ok(Vec::new()),
            };
            if has_none {
                continue;
            }
            let seized = self.readable(&rows, |task, row| Ok((task, row.try_get(19)?))).await?;
            if !seized.is_empty() {
                return Ok(seized);
            }
        }
    }

    /// Counts what can be forgotten.
    async fn forgettable(&self, retention: &Retention) -> Result<Pruned> {
        let age = |kept: Option<Duration>| kept.map(micros);
        let most = |kept: Option<u64>| kept.map(|most| i64::try_from(most).unwrap_or(i64::MAX));
        let row = sqlx::query(PRUNE_WOULD)
            .bind(age(retention.completed_for))
            .bind(age(retention.failed_for))
            .bind(most(retention.ended_at_most))
            .bind(age(retention.faults_for))
            .bind(age(retention.records_for))
            .bind(most(retention.records_at_most))
            .bind(age(retention.audit_for))
            .fetch_one(&self.pool)
            .await?;
        let count = |column| row.try_get::<i64, _>(column).map(unsigned);
        let (tasks, faults, records) = (count("tasks")?, count("faults")?, count("records")?);
        Ok(Pruned { tasks, faults, records, executions: 0, audit: count("audit")? })
    }

    pub(super) async fn forget(&self, retention: &Retention) -> Result<Pruned> {
        if retention.dry_run {
            return self.forgettable(retention).await;
        }
        let mut pruned = Pruned::default();
        let most = i64::from(retention.at_a_time);
        let age = |kept: Option<Duration>| kept.map(micros);
        pruned.tasks += sqlx::query(PRUNE_AGED)
            .bind(age(retention.completed_for))
            .bind(age(retention.failed_for))
            .bind(most)
            .execute(&self.pool)
            .await?
            .rows_affected();
        if let Some(kept) = retention.ended_at_most {
            let left = most.saturating_sub_unsigned(pruned.tasks);
            pruned.tasks += self.forget_surplus(kept, left).await?;
        }
        if let Some(kept) = retention.faults_for {
            pruned.faults += sqlx::query(PRUNE_FAULTS)
                .bind(micros(kept))
                .bind(most)
                .execute(&self.pool)
                .await?
                .rows_affected();
        }
        sqlx::query(PRUNE_HOLDS).execute(&self.pool).await?;
        self.prune_reports().await?;
        if let Some(kept) = retention.records_for {
            sqlx::query(PRUNE_SUMS).bind(micros(kept)).execute(&self.pool).await?;
        }
        for kind in RecordKind::ALL {
            pruned.records += sqlx::query(PRUNE_RECORDS)
                .bind(kind.name())
                .bind(age(retention.records_for))
                .bind(retention.records_at_most.map(|most| i64::try_from(most).unwrap_or(i64::MAX)))
                .bind(most)
                .execute(&self.pool)
                .await?
                .rows_affected();
        }
        if let Some(kept) = retention.audit_for {
            pruned.audit += self.forget_audit(kept, most).await?;
        }
        Ok(pruned)
    }

    /// Forgets the oldest of the audit log, and writes that down in it.
    async fn forget_audit(&self, kept: Duration, most: i64) -> Result<u64> {
        let mut transaction = self.pool.begin().await?;
        let prune = sqlx::query_as(PRUNE_AUDIT).bind(micros(kept)).bind(most);
        let gone: Vec<(i64, String)> = prune.fetch_all(&mut *transaction).await?;
        if let Some(entry) =
            AuditEntry::pruned(gone.iter().map(|(number, action)| (*number, &**action)))
        {
            audit::audit(&mut transaction, &entry).await?;
        }
        transaction.commit().await?;
        Ok(gone.len() as u64)
    }

    /// Reads here, packs here, writes here: the packing is too much work for the database's
    /// side of the line.
    pub(super) async fn pack_histories(&self, older_than: Duration, limit: u32) -> Result<u64> {
        let rows = sqlx::query(TO_PACK)
            .bind(micros(older_than))
            .bind(column(limit))
            .fetch_all(&self.pool)
            .await?;
        let mut count = 0;
        for row in rows {
            let task: Uuid = row.try_get(0)?;
            let mut transaction = self.pool.begin().await?;
            // Nobody else packs, prunes or requeues it meanwhile.
            let held = sqlx::query(HOLD_STILL).bind(task).fetch_optional(&mut *transaction).await?;
            if held.is_none() {
                continue;
            }
            let Some(history) = self.find_on(&mut transaction, task.into()).await? else {
                continue;
            };
            if history.problem.is_some() {
                // Packing would lose what somebody may still mend.
                continue;
            }
            let packed = history_codec::pack(&history.faults).map_err(sqlx::Error::Io)?;
            let written = sqlx::query(PACK).bind(task).bind(packed).execute(&mut *transaction);
            count += written.await?.rows_affected();
            transaction.commit().await?;
        }
        Ok(count)
    }
}
