//! Requeueing many finished tasks at a rate (D16).

use std::time::Duration;

use steadfast::Class;
use steadfast_store::{Filter, Requeue, Requeued, Status, Task, TaskId};

use crate::harness::*;

cases![
    dry_run_counts_and_changes_nothing,
    requeue_without_a_rate_is_due_at_once,
    rate_spreads_tasks_with_jitter,
    requeue_respects_its_limit,
    only_matching_tasks_are_requeued,
    open_tasks_are_not_requeued,
    requeue_of_nothing_is_empty,
    invalid_rate_is_rejected,
    slow_rate_is_accepted,
];

async fn failures(store: &Harness, count: usize, like: impl Fn(Task) -> Task) -> Vec<TaskId> {
    let batch = tasks(count).into_iter().map(|task| like(task).failed_once(gone()));
    let submitted = store.submit_all(batch.collect()).await.unwrap();
    submitted.iter().map(|one| one.id).collect()
}

async fn requeue(store: &Harness, which: &Filter, how: Requeue) -> Requeued {
    store.requeue_all(which, &how, &operator()).await.unwrap()
}

/// D16: a preview of the requeue.
async fn dry_run_counts_and_changes_nothing(store: &Harness) {
    failures(store, 5, |task| task).await;
    let planned = requeue(store, &Filter::all(), Requeue::fresh().per_second(2.0).dry_run()).await;
    assert_eq!((planned.count, planned.over), (5, millis(2500)));
    let limited = requeue(store, &Filter::all(), Requeue::fresh().limit(3).dry_run()).await;
    assert_eq!((limited.count, limited.over), (3, Duration::ZERO));
    assert_eq!(store.stats().await.unwrap().failed, 5);
    assert_eq!(store.audit_entries(&Default::default()).await.unwrap().items, []);
}

/// D16: the rate is optional.
async fn requeue_without_a_rate_is_due_at_once(store: &Harness) {
    let ids = failures(store, 5, |task| task).await;
    let done = requeue(store, &Filter::status(Status::Failed), Requeue::fresh()).await;
    assert_eq!((done.count, done.over), (5, Duration::ZERO));
    let mut claimed: Vec<_> = store.claim_batch(10).await.iter().map(|task| task.id).collect();
    claimed.sort();
    assert_eq!(claimed, ids);
}

/// D16: `--rate 2/s` is one in each half second, at a random moment of it.
async fn rate_spreads_tasks_with_jitter(store: &Harness) {
    failures(store, 20, |task| task).await;
    let before = store.now().await.unwrap();
    let done = requeue(store, &Filter::all(), Requeue::fresh().per_second(2.0)).await;
    let after = store.now().await.unwrap();
    assert_eq!((done.count, done.over), (20, secs(10)));
    let mut due: Vec<_> =
        store.listed(&Filter::all()).await.iter().map(|task| task.scheduled_at).collect();
    due.sort();
    for (index, time) in due.iter().enumerate() {
        let slot = millis(500 * index as u64);
        assert!((before + slot..=after + slot + millis(500)).contains(time), "{index}: {time}");
    }
    let gaps: std::collections::BTreeSet<_> =
        due.windows(2).map(|two| two[1].duration_since(two[0])).collect();
    assert!(gaps.len() > 10, "equal gaps would synchronise the tasks");
}

/// D16: to try a few first.
async fn requeue_respects_its_limit(store: &Harness) {
    failures(store, 5, |task| task).await;
    assert_eq!(requeue(store, &Filter::all(), Requeue::fresh().limit(2)).await.count, 2);
    assert_eq!(store.stats().await.unwrap().pending, 2);
    assert_eq!(requeue(store, &Filter::all(), Requeue::fresh().limit(0)).await.count, 0);
    assert_eq!(requeue(store, &Filter::all(), Requeue::fresh().limit(9)).await.count, 3);
}

/// D16: each field of a filter narrows the selection.
async fn only_matching_tasks_are_requeued(store: &Harness) {
    let matching = |task: Task| task.queue("mail").category("c").correlation_id("r");
    let ids = failures(store, 1, matching).await;
    failures(store, 1, |task| task.queue("mail").category("other").correlation_id("r")).await;
    failures(store, 1, |task| task.queue("print").category("c").correlation_id("r")).await;
    store.ended(Status::Completed, matching(task())).await;
    let mut filter = Filter::status(Status::Failed).queue("mail").category("c").kind("send");
    filter.correlation_id = Some("r".to_owned());
    filter.class = Some(Class::Final);
    assert_eq!(requeue(store, &filter, Requeue::fresh()).await.count, 1);
    assert_eq!(store.ids(&Filter::status(Status::Pending)).await, ids);
    filter.class = Some(Class::Retryable);
    filter.status = None;
    assert_eq!(requeue(store, &filter, Requeue::fresh()).await.count, 0);
}

/// D3: whatever the filter is.
async fn open_tasks_are_not_requeued(store: &Harness) {
    let running = store.running(task()).await.id;
    let (pending, scheduled) = (store.put(task()).await, store.put(task().after(secs(60))).await);
    let mut filter = Filter::all();
    filter.ids = Some(vec![running, pending, scheduled]);
    assert_eq!(requeue(store, &filter, Requeue::fresh()).await.count, 0);
    assert_eq!(requeue(store, &Filter::status(Status::Pending), Requeue::fresh()).await.count, 0);
    assert_eq!(store.status(running).await, Status::Running);
    assert_eq!(store.status(scheduled).await, Status::Scheduled);
}

/// D16: an empty store has nothing to requeue.
async fn requeue_of_nothing_is_empty(store: &Harness) {
    let done = requeue(store, &Filter::all(), Requeue::once_more().per_second(50.0)).await;
    assert_eq!((done.count, done.over), (0, Duration::ZERO));
}

/// K4: zero per second is not a rate.
async fn invalid_rate_is_rejected(store: &Harness) {
    let ids = failures(store, 1, |task| task).await;
    for rate in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let how = Requeue::fresh().per_second(rate);
        let rejected = store.requeue_all(&Filter::all(), &how, &operator()).await;
        assert!(rejected.is_err_and(|error| error.to_string().starts_with("rate: ")), "{rate}");
    }
    assert_eq!(store.status(ids[0]).await, Status::Failed);
}

/// K4: a period beyond the calendar is still a rate.
async fn slow_rate_is_accepted(store: &Harness) {
    failures(store, 3, |task| task).await;
    let done = requeue(store, &Filter::all(), Requeue::fresh().per_second(1e-300)).await;
    assert_eq!(done.count, 3);
    assert_eq!(store.stats().await.unwrap().scheduled, 3);
}
