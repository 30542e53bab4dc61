//! The engine's calls, each handed to the part that does it: a write as a job for the writer, a
//! look to a reader. What a write made due is told after its commit.

use std::time::Duration;

use async_trait::async_trait;
use jiff::Timestamp;

use super::row::{after, before, micros, timestamp};
use super::{
    Sqlite, audit, breakers, claim, compress, control, count, lease, list, now, promote, prune,
    read, requeue, rollup, settle, submit, worker_status,
};
use crate::audit::{AuditEntry, AuditQuery};
use crate::control::{Actor, Requeue, Requeued};
use crate::engine::workflows::Executions;
use crate::engine::{Connection, Engine, Submitted};
use crate::error::{Invalid, Result};
use crate::events::notifier::{Wake, Wakes};
use crate::events::record::{Record, RecordKind};
use crate::maintenance::retention::{Pruned, Retention};
use crate::maintenance::rollup::Rollup;
use crate::page::{Page, PageRequest};
use crate::queue::activity::Activity;
use crate::queue::cancel_guard::Delivery;
use crate::queue::claim::{ClaimRequest, Claimed, Claims, FencingToken, Heartbeat};
use crate::queue::settle::{Promoted, Settled, Settlement};
use crate::queue::stats::{Counts, Due, QueueInfo};
use crate::queue::submit::Admission;
use crate::queue::worker_status::WorkerStatus;
use crate::report::breaker::{BreakerCommand, BreakerOverride, BreakerReport};
use crate::report::worker::Reports;
use crate::task::filter::{Documents, Filter};
use crate::task::{StoredTask, TaskId};

#[async_trait]
impl Engine for Sqlite {
    async fn now(&self) -> Result<Timestamp> {
        Ok(timestamp(self.look(|connection| Box::pin(now(connection))).await?))
    }

    async fn submit(&self, mut tasks: Vec<Admission>) -> Result<Vec<Submitted>> {
        if tasks.len() == 1
            && let Some(task) = tasks.pop_if(|task| task.draft.key.is_none())
        {
            return Ok(vec![self.desk.submit(task).await?]);
        }
        let names = self.names.clone();
        let written = self.writer.run(move |connection, now| {
            Box::pin(async move { submit::write(connection, &tasks, now, &names).await })
        });
        let (answers, news) = written.await?;
        news.tell(&self.wakes);
        Ok(answers)
    }

    async fn submit_within(
        &self,
        connection: Connection<'_>,
        tasks: Vec<Admission>,
    ) -> Result<Vec<Submitted>> {
        let Connection::Sqlite(connection) = connection else {
            let problem = "is to PostgreSQL, and this store is an SQLite file: begin the \
                 transaction on that file";
            return Err(Invalid::new("connection", problem).into());
        };
        submit::within(connection, &tasks).await
    }

    async fn claim(&self, request: &ClaimRequest) -> Result<Claims> {
        let asked = request.clone();
        let (writer, wakes) = (self.writer.clone(), self.wakes.clone());
        let taken = self.writer.ask(
            move |connection, now| {
                Box::pin(async move { claim::take(connection, &asked, now).await })
            },
            |taken| lease::give_back_unheard(taken, writer, wakes),
        );
        let Delivery { answer, unheard } = taken.await?;
        let claims = Claims { now: timestamp(answer.now), tasks: answer.claimed(self).await? };
        unheard.heard();
        Ok(claims)
    }

    async fn heartbeat(
        &self,
        leases: &[FencingToken],
        running: &[TaskId],
        lease: Duration,
    ) -> Result<Heartbeat> {
        let (leases, running) = (leases.to_vec(), running.to_vec());
        let renewed = self.writer.run(move |connection, now| {
            Box::pin(
                async move { lease::renew(connection, &leases, &running, after(now, lease)).await },
            )
        });
        renewed.await
    }

    async fn held(&self, id: TaskId, version: FencingToken) -> Result<Option<Claimed>> {
        let held =
            self.look(move |connection| Box::pin(lease::held(connection, id, version))).await?;
        match held {
            Some(taken) => Ok(taken.claimed(self).await?.pop()),
            None => Ok(None),
        }
    }

    async fn settle(&self, settlements: Vec<Settlement>) -> Result<Vec<Settled>> {
        let written = self.writer.run(move |connection, now| {
            Box::pin(async move { settle::write(connection, &settlements, now).await })
        });
        let (answers, news) = written.await?;
        news.tell(&self.wakes);
        Ok(answers)
    }

    async fn promote(&self, limit: u32) -> Result<Promoted> {
        let promoted = self
            .writer
            .run(move |connection, now| Box::pin(promote::promote(connection, limit, now)));
        let promoted = promoted.await?;
        if promoted.count > 0 {
            self.wakes.tell(Wake::Ready);
        }
        Ok(promoted)
    }

    async fn reclaim_expired(&self, worker: &str, limit: u32) -> Result<Vec<(Claimed, String)>> {
        let worker = worker.to_owned();
        let seized = self.writer.run(move |connection, now| {
            Box::pin(async move { lease::reclaim_expired(connection, &worker, limit, now).await })
        });
        match seized.await? {
            Some(seized) => seized.claimed(self).await,
            None => Ok(Vec::new()),
        }
    }

    async fn task(&self, id: TaskId) -> Result<Option<StoredTask>> {
        let rows = self.look(move |connection| {
            Box::pin(read::rows(connection, vec![id], read::With::EVERYTHING))
        });
        match rows.await?.first() {
            Some(row) => Ok(Some(self.stored(row).await?)),
            None => Ok(None),
        }
    }

    async fn histories(&self, ids: &[TaskId]) -> Result<Vec<StoredTask>> {
        let ids = ids.to_vec();
        let rows =
            self.look(move |connection| Box::pin(read::rows(connection, ids, read::With::FAULTS)));
        self.all_stored(&rows.await?).await
    }

    async fn task_by_key(&self, key: &str) -> Result<Option<TaskId>> {
        let key = key.to_owned();
        let id = self.look(move |connection| Box::pin(read::by_key(connection, key)));
        id.await
    }

    async fn tasks(
        &self,
        filter: &Filter,
        page: &PageRequest,
        documents: Documents,
    ) -> Result<Page<StoredTask>> {
        let (asked, page) = (filter.clone(), page.clone());
        let found = self.look(move |connection| {
            Box::pin(async move { list::page(connection, &asked, &page, documents).await })
        });
        let (rows, next) = found.await?;
        let mut items = self.all_stored(&rows).await?;
        // One may have moved on between the two looks.
        items.retain(|task| filter.status.is_none_or(|status| task.status == status));
        Ok(Page { items, next })
    }

    async fn latest_ended(
        &self,
        request: Option<&str>,
        page: &PageRequest,
    ) -> Result<Page<StoredTask>> {
        let (request, page) = (request.map(str::to_owned), page.clone());
        let found = self.look(|connection| {
            Box::pin(async move { list::by_end(connection, request, &page).await })
        });
        let (rows, next) = found.await?;
        let mut items = self.all_stored(&rows).await?;
        // One may have been requeued between the two looks.
        items.retain(|task| task.status.is_ended());
        Ok(Page { items, next })
    }

    async fn counts(&self) -> Result<Counts> {
        self.look(|connection| Box::pin(count::counts(connection))).await
    }

    async fn due(&self) -> Result<Due> {
        self.look(|connection| Box::pin(count::due(connection))).await
    }

    async fn activity(&self) -> Result<Activity> {
        self.look_around().await
    }

    async fn queues(&self) -> Result<Vec<QueueInfo>> {
        self.look(|connection| Box::pin(count::queues(connection))).await
    }

    async fn figures(&self, from: Timestamp, to: Timestamp) -> Result<Vec<Rollup>> {
        let (from, to) = (micros(from), micros(to));
        self.look(move |connection| Box::pin(rollup::sums(connection, from, to))).await
    }

    async fn rollup(&self) -> Result<bool> {
        let next = self.look(|connection| Box::pin(rollup::next_minute(connection))).await?;
        let Some(minute) = next else {
            return Ok(false);
        };
        let written = self.writer.run(move |connection, _| {
            Box::pin(async move { rollup::write(connection, &minute).await })
        });
        written.await?;
        Ok(true)
    }

    async fn worker_status(&self) -> Result<WorkerStatus> {
        self.look(|connection| Box::pin(worker_status::look(connection))).await
    }

    async fn cancel(&self, id: TaskId, by: &Actor) -> Result<()> {
        let by = by.clone();
        let cancelled = self
            .writer
            .run(move |connection, now| Box::pin(control::cancel(connection, id, by, now)));
        if cancelled.await? {
            self.wakes.tell(Wake::Cancelled(id));
        }
        Ok(())
    }

    async fn run_now(&self, id: TaskId, by: &Actor) -> Result<()> {
        let by = by.clone();
        let moved = self
            .writer
            .run(move |connection, now| Box::pin(control::run_now(connection, id, by, now)));
        moved.await?;
        self.wakes.tell(Wake::Ready);
        Ok(())
    }

    async fn set_expiry(
        &self,
        id: TaskId,
        expires_at: Option<Timestamp>,
        by: &Actor,
    ) -> Result<()> {
        let by = by.clone();
        let set = self.writer.run(move |connection, now| {
            Box::pin(control::set_expiry(connection, id, expires_at, by, now))
        });
        set.await
    }

    async fn requeue(&self, filter: &Filter, how: &Requeue, by: &Actor) -> Result<Requeued> {
        let (filter, how, by) = (filter.clone(), how.clone(), by.clone());
        if how.dry_run {
            let counted = self.look(move |connection| {
                Box::pin(async move { requeue::rehearse(connection, &filter, &how).await })
            });
            return counted.await;
        }
        let requeued = self.writer.run(move |connection, now| {
            Box::pin(async move { requeue::requeue(connection, &filter, &how, by, now).await })
        });
        let (requeued, news) = requeued.await?;
        news.tell(&self.wakes);
        Ok(requeued)
    }

    async fn set_paused(&self, queue: &str, paused: bool, by: &Actor) -> Result<()> {
        let (queue, by) = (queue.to_owned(), by.clone());
        let set = self.writer.run(move |connection, now| {
            Box::pin(async move { control::set_paused(connection, &queue, paused, by, now).await })
        });
        set.await?;
        if !paused {
            self.wakes.tell(Wake::Ready);
        }
        Ok(())
    }

    async fn audit(&self, entry: &AuditEntry) -> Result<()> {
        let entry = entry.clone();
        let written = self.writer.run(move |connection, now| {
            Box::pin(async move { audit::audit(connection, &entry, now).await })
        });
        written.await
    }

    async fn audit_all(&self, entries: &[AuditEntry]) -> Result<()> {
        let entries = entries.to_vec();
        let written = self.writer.run(move |connection, now| {
            Box::pin(async move { audit::audit_all(connection, &entries, now).await })
        });
        written.await
    }

    async fn audited(&self, query: &AuditQuery) -> Result<Page<AuditEntry>> {
        let query = query.clone();
        let page = self.look(move |connection| {
            Box::pin(async move { audit::audited(connection, &query).await })
        });
        page.await
    }

    async fn record(&self, records: &[Record]) -> Result<()> {
        let records = records.to_vec();
        let written = self.writer.run(move |connection, now| {
            Box::pin(async move { audit::record(connection, &records, now).await })
        });
        written.await
    }

    async fn records(&self, kind: RecordKind, page: &PageRequest) -> Result<Page<Record>> {
        let page = page.clone();
        let page = self.look(move |connection| {
            Box::pin(async move { audit::records(connection, kind, &page).await })
        });
        page.await
    }

    async fn records_after(
        &self,
        kind: RecordKind,
        number: i64,
        limit: u32,
    ) -> Result<Vec<Record>> {
        let records = self.look(move |connection| {
            Box::pin(audit::records_after(connection, kind, number, limit))
        });
        records.await
    }

    async fn report_breakers(&self, reports: &[BreakerReport]) -> Result<()> {
        let reports = reports.to_vec();
        let written = self.writer.run(move |connection, now| {
            Box::pin(async move { breakers::report(connection, &reports, now).await })
        });
        written.await
    }

    async fn breakers(&self) -> Result<Vec<BreakerReport>> {
        let listed = self.look(|connection| {
            Box::pin(async move {
                let now = now(connection).await?;
                breakers::list(connection, now).await
            })
        });
        listed.await
    }

    async fn order_breaker(&self, policy: &str, wish: BreakerCommand, by: &Actor) -> Result<()> {
        let (policy, by) = (policy.to_owned(), by.clone());
        let ordered = self.writer.run(move |connection, now| {
            Box::pin(async move { breakers::order(connection, &policy, wish, by, now).await })
        });
        ordered.await?;
        self.wakes.tell(Wake::Breakers);
        Ok(())
    }

    async fn breaker_orders(&self) -> Result<Vec<BreakerOverride>> {
        self.look(|connection| Box::pin(breakers::orders(connection))).await
    }

    async fn prune(&self, retention: &Retention) -> Result<Pruned> {
        let kept = retention.clone();
        if kept.dry_run {
            let count = self.look(move |connection| {
                Box::pin(async move { prune::count(connection, &kept).await })
            });
            return count.await;
        }
        let old = self
            .look(move |connection| Box::pin(async move { prune::find(connection, &kept).await }));
        let (old, kept) = (old.await?, retention.clone());
        let forgotten = self.writer.run(move |connection, now| {
            Box::pin(async move { prune::forget(connection, &old, &kept, now).await })
        });
        forgotten.await
    }

    async fn compress(&self, older_than: Duration, limit: u32) -> Result<u64> {
        let packed = self.look(move |connection| {
            Box::pin(async move {
                let now = now(connection).await?;
                compress::find(connection, before(now, older_than), limit).await
            })
        });
        let packed = packed.await?;
        if packed.is_empty() {
            return Ok(0);
        }
        let swapped = self.writer.run(move |connection, _| {
            Box::pin(async move { compress::swap(connection, &packed).await })
        });
        swapped.await
    }

    fn executions(&self) -> &dyn Executions {
        self
    }

    fn reports(&self) -> &dyn Reports {
        self
    }

    fn wakes(&self) -> &Wakes {
        &self.wakes
    }
}
