//! State that SQLite stores in its own way: attempts counted at the end, due times in another
//! table, histories in two formats.

use std::time::Duration;

use sqlx::Executor;
use steadfast::decide::DecisionEnv;
use steadfast::{Fault, Hint, Policy};
use steadfast_store::{
    Actor, ClaimRequest, Claimed, FailureContext, Filter, PageRequest, Requeue, Retention, Settled,
    Settlement, Status, StoreError, StoredTask, Task, TaskId,
};

use crate::{Fixture, done, task};

struct Middle;

impl DecisionEnv for Middle {
    fn draw(&mut self) -> u64 {
        u64::MAX / 2
    }
}

impl Fixture {
    async fn show(&self, id: TaskId) -> StoredTask {
        self.store.task(id).await.unwrap()
    }

    /// Fails the one pending task.
    async fn fail(&self, fault: Fault) -> TaskId {
        let claimed = self.claim(1).await.pop().unwrap();
        self.fail_claimed(&claimed, fault).await;
        claimed.id
    }

    async fn fail_claimed(&self, claimed: &Claimed, fault: Fault) {
        let now = self.store.now().await.unwrap();
        let context = FailureContext::at(now);
        let verdict = claimed.failed(fault, context, &mut Middle);
        let settlement =
            Settlement { id: claimed.id, fencing_token: claimed.fencing_token, verdict };
        assert_eq!(self.store.settle(vec![settlement]).await.unwrap(), [Settled::Accepted]);
    }

    /// Completes the one pending task.
    async fn complete(&self) {
        let claimed = self.claim(1).await.pop().unwrap();
        let settled = self.store.settle(vec![done(&claimed)]).await.unwrap();
        assert_eq!(settled, [Settled::Accepted]);
    }
}

fn at_once() -> Policy {
    Policy::immediate().max_attempts(3).build().unwrap()
}

fn unavailable() -> Fault {
    Fault::http(503).with_message("overloaded")
}

fn operator() -> Actor {
    Actor::new("operator")
}

/// D2: a success counts as an attempt, also after the task is requeued.
#[tokio::test]
async fn success_counts_as_an_attempt_after_requeue() {
    let fixture = Fixture::new().await;
    let id = fixture.store.submit(task(1).under(at_once())).await.unwrap().id;
    fixture.fail(unavailable()).await;
    fixture.complete().await;
    let shown = fixture.show(id).await;
    assert_eq!((shown.status, shown.attempts), (Status::Completed, 2));
    assert_eq!(shown.last_attempt_at, shown.ended_at);
    let how = Requeue::once_more();
    fixture.store.requeue_all(&Filter::id(id), &how, &operator()).await.unwrap();
    let requeued = fixture.show(id).await;
    assert_eq!((requeued.status, requeued.attempts), (Status::Pending, 2));
    assert_eq!(requeued.last_attempt_at, shown.ended_at);
    assert_eq!(fixture.claim(1).await[0].progress.attempts, 2);
}

/// D14: a compressed history reads the same, and grows after a requeue.
#[tokio::test]
async fn compressed_history_can_be_extended() {
    let fixture = Fixture::new().await;
    let id = fixture.store.submit(task(1).under(at_once())).await.unwrap().id;
    for _ in 0..3 {
        fixture.fail(unavailable()).await;
    }
    let before = fixture.show(id).await;
    assert_eq!((before.status, before.faults.len()), (Status::Failed, 3));
    assert_eq!(fixture.store.compress(Duration::ZERO, 10).await.unwrap(), 1);
    assert_eq!(
        fixture.store.compress(Duration::ZERO, 10).await.unwrap(),
        0,
        "it is already compressed"
    );
    assert_eq!(fixture.show(id).await, before);
    fixture.store.requeue(id, true, &operator()).await.unwrap();
    fixture.fail(Fault::http(404)).await;
    let after = fixture.show(id).await;
    assert_eq!((after.faults.len(), &after.faults[..3]), (4, &before.faults[..]));
    assert_eq!(fixture.store.compress(Duration::ZERO, 10).await.unwrap(), 1);
    assert_eq!(fixture.show(id).await, after);
}

/// D14: everything that belongs to a task is deleted with it, in either format.
#[tokio::test]
async fn pruned_task_leaves_no_row() {
    let fixture = Fixture::new().await;
    for number in 0..3 {
        fixture.store.submit(task(number).under(at_once()).key(number.to_string())).await.unwrap();
        fixture.fail(Fault::http(404)).await;
    }
    fixture.store.compress(Duration::ZERO, 2).await.unwrap();
    let mut retention = Retention::default();
    retention.failed_for = Some(Duration::ZERO);
    retention.batch_size = 2;
    assert_eq!(fixture.store.prune(&retention).await.unwrap().tasks, 2);
    assert_eq!(fixture.store.prune(&retention).await.unwrap().tasks, 1);
    assert!(fixture.store.prune(&retention).await.unwrap().is_nothing());
    let mut other = fixture.connection().await;
    for table in ["tasks", "progress", "faults", "packed", "ended"] {
        let count = sqlx::AssertSqlSafe(format!("SELECT count(*) FROM steadfast_{table}"));
        let count: i64 = sqlx::query_scalar(count).fetch_one(&mut other).await.unwrap();
        assert_eq!(count, 0, "in {table}");
    }
}

/// D14: the oldest tasks beyond a count are pruned, whatever their status.
#[tokio::test]
async fn tasks_beyond_a_count_are_pruned_oldest_first() {
    let fixture = Fixture::new().await;
    let mut ids = Vec::new();
    for number in 0..4 {
        ids.push(fixture.store.submit(task(number).under(at_once())).await.unwrap().id);
        match number % 2 {
            0 => fixture.complete().await,
            _ => drop(fixture.fail(Fault::http(404)).await),
        }
    }
    let mut retention = Retention::default();
    retention.ended_at_most = Some(1);
    assert_eq!(fixture.store.prune(&retention).await.unwrap().tasks, 3);
    let left = fixture.store.tasks(&Filter::all(), &PageRequest::default()).await.unwrap();
    assert_eq!(left.items.iter().map(|task| task.id).collect::<Vec<_>>(), ids[3..]);
}

/// D7: the first lost worker is named, also when the reclaiming worker is lost as well.
#[tokio::test]
async fn first_worker_is_named_after_a_second_loss() {
    let fixture = Fixture::new().await;
    fixture.store.submit(task(1)).await.unwrap();
    let lost = fixture.claim(1).await;
    let mut other = fixture.connection().await;
    for reclaimer in ["first reclaimer", "second reclaimer"] {
        assert!(
            fixture.store.reclaim_expired(reclaimer, 10).await.unwrap().is_empty(),
            "not expired yet"
        );
        other.execute("UPDATE steadfast_leases SET until = 0").await.unwrap();
        let reclaimed = fixture.store.reclaim_expired(reclaimer, 10).await.unwrap();
        assert_eq!((reclaimed[0].0.id, reclaimed[0].1.as_str()), (lost[0].id, "worker"));
        assert!(reclaimed[0].0.fencing_token > lost[0].fencing_token);
    }
    let settled = fixture.store.settle(vec![done(&lost[0])]).await.unwrap();
    assert_eq!(settled, [Settled::Stale]);
}

/// D18: a fencing token is never reused, even after all leases are gone.
#[tokio::test]
async fn fencing_tokens_grow_after_the_last_lease() {
    let fixture = Fixture::new().await;
    let mut last = None;
    for number in 0..3 {
        fixture.store.submit(task(number)).await.unwrap();
        let claimed = fixture.claim(1).await;
        assert!(last < Some(claimed[0].fencing_token));
        last = Some(claimed[0].fencing_token);
        fixture.store.settle(vec![done(&claimed[0])]).await.unwrap();
        let mut other = fixture.connection().await;
        let leases: i64 = sqlx::query_scalar("SELECT count(*) FROM steadfast_leases")
            .fetch_one(&mut other)
            .await
            .unwrap();
        assert_eq!(leases, 0);
    }
}

fn of_customer(number: u32) -> Task {
    let policy = Policy::fixed(Duration::from_secs(60)).build().unwrap();
    task(number).under(policy).category("customer-1").hold_category()
}

/// D17: a held category waits as a whole: pending tasks, new ones, and scheduled ones that would be
/// due earlier.
#[tokio::test]
async fn held_category_waits_as_a_whole() {
    let fixture = Fixture::new().await;
    fixture.store.submit(of_customer(1)).await.unwrap();
    let ready = fixture.store.submit(of_customer(2)).await.unwrap().id;
    let other = fixture.store.submit(task(3).category("customer-2")).await.unwrap().id;
    let slow_down = Fault::http(429).with_hint(Hint::After(Duration::from_secs(3600)));
    let limited = fixture.fail(slow_down).await;
    let new = fixture.store.submit(of_customer(4)).await.unwrap().id;
    let later = of_customer(5).after(Duration::from_secs(60));
    let later = fixture.store.submit(later).await.unwrap().id;
    let until = fixture.show(limited).await.scheduled_at;
    for id in [ready, new, later] {
        let shown = fixture.show(id).await;
        assert_eq!((shown.status, shown.scheduled_at), (Status::Scheduled, until));
    }
    // A task that is to run now is claimed first when the hold ends.
    fixture.store.run_now(ready, &operator()).await.unwrap();
    assert_eq!(fixture.show(ready).await.status, Status::Pending);
    let only = ClaimRequest::new("worker", 10).categories(["customer-1", "customer-2"]);
    let claimed = fixture.store.claim(&only).await.unwrap().tasks;
    assert_eq!(claimed.iter().map(|task| task.id).collect::<Vec<_>>(), [other]);
    assert!(fixture.claim(10).await.is_empty());
    let mut connection = fixture.connection().await;
    connection.execute("UPDATE steadfast_holds SET until = 0").await.unwrap();
    assert_eq!(fixture.claim(10).await[0].id, ready);
}

/// D15: a cursor pages through a list of any order without gaps, and is rejected by other lists.
#[tokio::test]
async fn cursor_belongs_to_its_list() {
    let fixture = Fixture::new().await;
    for number in 0..5 {
        let queue = ["a", "b"][number as usize % 2];
        fixture.store.submit(task(number).queue(queue)).await.unwrap();
        let later = task(number).after(Duration::from_secs(3600));
        fixture.store.submit(later).await.unwrap();
    }
    let mut cursors = Vec::new();
    for filter in
        [Filter::all(), Filter::status(Status::Pending), Filter::status(Status::Scheduled)]
    {
        let all = PageRequest { limit: 100, after: None };
        let all = fixture.store.tasks(&filter, &all).await.unwrap().items;
        let mut page = PageRequest { limit: 2, after: None };
        let mut paged = Vec::new();
        loop {
            let part = fixture.store.tasks(&filter, &page).await.unwrap();
            paged.extend(part.items);
            page.after = part.next;
            if page.after.is_none() {
                break;
            }
            cursors.extend(page.after.clone());
        }
        assert_eq!(paged, all);
    }
    let page = PageRequest { limit: 2, after: cursors.pop() };
    let error = fixture.store.tasks(&Filter::all(), &page).await.unwrap_err();
    assert!(matches!(&error, StoreError::Invalid(invalid) if invalid.field() == "after"));
}

/// D14, D15: an older program that still runs ends and prunes tasks without updating the counters.
/// Pruning detects this and recounts.
#[tokio::test]
async fn uncounted_ends_are_recounted() {
    let fixture = Fixture::new().await;
    fixture.store.submit_all((0..3).map(task).collect()).await.unwrap();
    let settlements = fixture.claim(3).await.iter().map(done).collect();
    fixture.store.settle(settlements).await.unwrap();
    let mut connection = fixture.connection().await;
    connection.execute("UPDATE steadfast_ends SET completed = 1, failed = 1").await.unwrap();
    fixture.store.prune(&Retention::default()).await.unwrap();
    let stats = fixture.store.stats().await.unwrap();
    assert_eq!((stats.completed, stats.failed, stats.cancelled), (3, 0, 0));
}
