//! Retention and pruning (D14).

use std::time::Duration;

use serde_json::json;
use steadfast_store::{
    AuditEntry, AuditQuery, Filter, PageRequest, Pruned, Record, RecordKind, Retention, Status,
    StoreError, TaskId,
};

use crate::harness::*;

cases![
    completed_tasks_are_pruned_by_age,
    failed_and_cancelled_tasks_are_pruned_later,
    missing_limit_prunes_nothing,
    oldest_tasks_are_pruned_by_count,
    open_tasks_are_never_pruned,
    prune_respects_its_batch_size,
    pruned_task_leaves_no_rows,
    histories_are_pruned_before_their_tasks,
    records_are_pruned_by_age,
    records_are_pruned_by_count,
    audit_log_is_pruned_only_with_a_limit,
    audit_prune_is_batched_and_audited,
    audit_prune_of_everything_terminates,
    dry_run_counts_what_would_be_pruned,
];

/// Prunes nothing except for what `change` sets.
fn retention_with(change: impl FnOnce(&mut Retention)) -> Retention {
    let mut retention = Retention::forever();
    change(&mut retention);
    retention
}

async fn prune(store: &Harness, retention: &Retention) -> Pruned {
    store.prune(retention).await.unwrap()
}

const HOUR: Duration = secs(3600);

/// D14: by age.
async fn completed_tasks_are_pruned_by_age(store: &Harness) {
    store.ended(Status::Completed, task()).await;
    store.age_ended(HOUR).await;
    let young = store.ended(Status::Completed, task()).await;
    let retention = retention_with(|retention| retention.completed_for = Some(HOUR / 2));
    assert_eq!(prune(store, &retention).await.tasks, 1);
    assert_eq!(store.ids(&Filter::all()).await, [young]);
    assert!(prune(store, &retention).await.is_nothing());
}

/// D14: failures are of interest for longer than successes.
async fn failed_and_cancelled_tasks_are_pruned_later(store: &Harness) {
    for status in [Status::Completed, Status::Failed, Status::Cancelled] {
        store.ended(status, task()).await;
    }
    store.age_ended(HOUR).await;
    let mut retention = retention_with(|retention| retention.completed_for = Some(HOUR / 2));
    retention.failed_for = Some(HOUR * 2);
    assert_eq!(prune(store, &retention).await.tasks, 1);
    assert_eq!(store.stats().await.unwrap().completed, 0);
    retention.failed_for = Some(HOUR / 2);
    assert_eq!(prune(store, &retention).await.tasks, 2);
    assert_eq!(store.ids(&Filter::all()).await, []);
}

/// D14: pruning is opt-in.
async fn missing_limit_prunes_nothing(store: &Harness) {
    for status in [Status::Completed, Status::Failed, Status::Cancelled] {
        store.ended(status, task()).await;
    }
    store.record(&[Record::new(RecordKind::Event, json!(1))]).await.unwrap();
    store.age_ended(HOUR * 24 * 3650).await;
    store.age_records(HOUR * 24 * 3650).await;
    assert!(prune(store, &retention_with(|_| ())).await.is_nothing());
    assert!(
        prune(store, &retention_with(|retention| retention.failed_for = Some(Duration::MAX)))
            .await
            .is_nothing()
    );
    assert_eq!(store.ids(&Filter::all()).await.len(), 3);
    let records = store.records(RecordKind::Event, &PageRequest::default()).await.unwrap();
    assert_eq!(records.items.len(), 1);
}

/// D14: by count, whatever their status.
async fn oldest_tasks_are_pruned_by_count(store: &Harness) {
    let mut ids = Vec::new();
    for status in [Status::Failed, Status::Completed, Status::Cancelled, Status::Completed] {
        ids.push(store.ended(status, task()).await);
        store.age_ended(secs(1)).await;
    }
    let retention = retention_with(|retention| retention.ended_at_most = Some(2));
    assert_eq!(prune(store, &retention).await.tasks, 2);
    assert_eq!(store.ids(&Filter::all()).await, [ids[3], ids[2]]);
    assert!(prune(store, &retention).await.is_nothing());
}

/// D14: whatever their age.
async fn open_tasks_are_never_pruned(store: &Harness) {
    store.running(task()).await;
    store.put(task()).await;
    store.put(task().after(secs(60))).await;
    for id in store.ids(&Filter::all()).await {
        store.backdate(id, "2001-01-01T00:00:00Z".parse().unwrap()).await;
    }
    let all_gone = retention_with(|retention| {
        retention.completed_for = Some(Duration::ZERO);
        retention.failed_for = Some(Duration::ZERO);
        retention.ended_at_most = Some(0);
        retention.faults_for = Some(Duration::ZERO);
    });
    assert!(prune(store, &all_gone).await.is_nothing());
    assert_eq!(store.ids(&Filter::all()).await.len(), 3);
}

/// D14: pruning never blocks claims, so it deletes a bounded number at a time, the oldest first.
async fn prune_respects_its_batch_size(store: &Harness) {
    let mut ids: Vec<TaskId> = Vec::new();
    for _ in 0..7 {
        ids.push(store.ended(Status::Completed, task()).await);
        store.age_ended(HOUR).await;
    }
    let retention = retention_with(|retention| {
        retention.completed_for = Some(HOUR / 2);
        retention.ended_at_most = Some(1);
        retention.batch_size = 3;
    });
    assert_eq!(prune(store, &retention).await.tasks, 3);
    let mut left = store.ids(&Filter::all()).await;
    left.reverse();
    assert_eq!(left, ids[3..]);
    assert_eq!(prune(store, &retention).await.tasks, 3);
    assert_eq!(prune(store, &retention).await.tasks, 1);
    assert!(prune(store, &retention).await.is_nothing());
}

/// D14: its faults, compressed or not, its key and its result.
async fn pruned_task_leaves_no_rows(store: &Harness) {
    let compressed = store.ended(Status::Failed, task().key("a")).await;
    store.compress(Duration::ZERO, 10).await.unwrap();
    let uncompressed = store.ended(Status::Failed, task().key("b")).await;
    assert_eq!(
        prune(store, &retention_with(|retention| retention.ended_at_most = Some(0))).await.tasks,
        2
    );
    for (id, key) in [(compressed, "a"), (uncompressed, "b")] {
        let gone = store.task(id).await;
        assert!(matches!(gone, Err(StoreError::NotFound(which)) if which == id));
        assert_eq!(store.task_by_key(key).await.unwrap(), None);
    }
    let rejected = store.requeue(compressed, true, &operator()).await;
    assert!(matches!(rejected, Err(StoreError::NotFound(_))));
}

/// D14: the details of a failure have a shorter retention than the failure itself.
async fn histories_are_pruned_before_their_tasks(store: &Harness) {
    let compressed = store.ended(Status::Failed, task()).await;
    store.compress(Duration::ZERO, 10).await.unwrap();
    store.age_ended(HOUR).await;
    let young = store.ended(Status::Failed, task()).await;
    store.compress(Duration::ZERO, 10).await.unwrap();
    let retention = retention_with(|retention| retention.faults_for = Some(HOUR / 2));
    assert_eq!(prune(store, &retention).await.faults, 1);
    let stored = store.show(compressed).await;
    assert_eq!((stored.faults.len(), stored.attempts), (0, 1));
    assert!(stored.last_error.is_some(), "the summary of the last error is still stored");
    assert_eq!(store.show(young).await.faults.len(), 1);
    assert!(prune(store, &retention).await.is_nothing());
}

/// D14: sessions and events by age.
async fn records_are_pruned_by_age(store: &Harness) {
    let record = |body| Record::new(RecordKind::Session, json!(body));
    store.record(&[record(1), record(2)]).await.unwrap();
    store.age_records(HOUR).await;
    store.record(&[record(3)]).await.unwrap();
    let retention = retention_with(|retention| retention.records_for = Some(HOUR / 2));
    assert_eq!(prune(store, &retention).await.records, 2);
    let left = store.records(RecordKind::Session, &PageRequest::default()).await.unwrap();
    assert_eq!(left.items.iter().map(|one| &one.body).collect::<Vec<_>>(), [&json!(3)]);
}

/// D14: and by count, each kind for itself, a bounded number at a time.
async fn records_are_pruned_by_count(store: &Harness) {
    let record = |kind, body| Record::new(kind, json!(body));
    let mut records: Vec<_> = (0..5).map(|body| record(RecordKind::Event, body)).collect();
    records.push(record(RecordKind::Session, 0));
    store.record(&records).await.unwrap();
    let retention = retention_with(|retention| {
        retention.records_at_most = Some(1);
        retention.batch_size = 3;
    });
    assert_eq!(prune(store, &retention).await.records, 3);
    assert_eq!(prune(store, &retention).await.records, 1);
    assert!(prune(store, &retention).await.is_nothing());
    for (kind, newest) in [(RecordKind::Event, 4), (RecordKind::Session, 0)] {
        let left = store.records(kind, &PageRequest::default()).await.unwrap();
        assert_eq!(left.items.iter().map(|one| &one.body).collect::<Vec<_>>(), [&json!(newest)]);
    }
}

/// D14: a dry run counts everything, by age and then by count, and deletes nothing.
async fn dry_run_counts_what_would_be_pruned(store: &Harness) {
    for status in [Status::Completed, Status::Failed, Status::Completed, Status::Cancelled] {
        store.ended(status, task()).await;
    }
    store.compress(Duration::ZERO, 10).await.unwrap();
    let records = [RecordKind::Event, RecordKind::Event, RecordKind::Session];
    store.record(&records.map(|kind| Record::new(kind, json!(1)))).await.unwrap();
    store.age_ended(HOUR).await;
    store.age_records(HOUR).await;
    for _ in 0..3 {
        store.ended(Status::Completed, task()).await;
    }
    store.record(&[Record::new(RecordKind::Event, json!(2))]).await.unwrap();
    store.put(task()).await;
    let rules: [fn(&mut Retention); 5] = [
        |_| (),
        |retention| retention.completed_for = Some(HOUR / 2),
        |retention| retention.faults_for = Some(HOUR / 2),
        |retention| {
            retention.failed_for = Some(HOUR / 2);
            retention.ended_at_most = Some(4);
        },
        |retention| {
            retention.records_for = Some(HOUR / 2);
            retention.records_at_most = Some(0);
            retention.ended_at_most = Some(1);
        },
    ];
    for rule in rules {
        let mut retention = retention_with(rule);
        retention.batch_size = 1;
        retention.dry_run = true;
        let planned = prune(store, &retention).await;
        assert_eq!(prune(store, &retention).await, planned, "nothing was pruned");
        retention.dry_run = false;
        let mut pruned = Pruned::default();
        loop {
            let batch = prune(store, &retention).await;
            if batch.is_nothing() {
                break;
            }
            pruned.tasks += batch.tasks;
            pruned.faults += batch.faults;
            pruned.records += batch.records;
        }
        assert_eq!(pruned, planned, "{retention:?}");
    }
    assert_eq!(store.ids(&Filter::all()).await.len(), 2, "one finished task and one open task");
}

async fn write_audit_entries(store: &Harness, count: usize) {
    let entries: Vec<_> = (0..count).map(|_| AuditEntry::new(operator(), "a.change")).collect();
    store.audit_all(&entries).await.unwrap();
}

async fn audited(store: &Harness) -> Vec<AuditEntry> {
    store.audit_entries(&AuditQuery::default()).await.unwrap().items
}

/// K3: the log is append-only unless it has a retention period.
async fn audit_log_is_pruned_only_with_a_limit(store: &Harness) {
    write_audit_entries(store, 3).await;
    store.age_audit(HOUR * 24 * 3650).await;
    assert_eq!(Retention::default().audit_for, None);
    assert!(prune(store, &Retention::default()).await.is_nothing());
    let retention = retention_with(|retention| retention.audit_for = Some(Duration::MAX));
    assert!(prune(store, &retention).await.is_nothing());
    assert_eq!(audited(store).await.len(), 3);
}

/// D14, K3: the oldest first, a bounded number at a time; the deletion is audited.
async fn audit_prune_is_batched_and_audited(store: &Harness) {
    write_audit_entries(store, 5).await;
    let old = audited(store).await;
    store.age_audit(HOUR).await;
    write_audit_entries(store, 1).await;
    let mut retention = retention_with(|retention| {
        retention.audit_for = Some(HOUR / 2);
        retention.batch_size = 3;
    });
    retention.dry_run = true;
    assert_eq!(prune(store, &retention).await.audit, 5);
    retention.dry_run = false;
    let batches = [prune(store, &retention).await.audit, prune(store, &retention).await.audit];
    assert_eq!(batches, [3, 2]);
    assert!(prune(store, &retention).await.is_nothing());
    let left = audited(store).await;
    let actions: Vec<_> = left.iter().map(|entry| &*entry.action).collect();
    assert_eq!(actions, ["audit.prune", "audit.prune", "a.change"]);
    let numbers =
        |entry: &AuditEntry| (entry.detail["first"].clone(), entry.detail["last"].clone());
    assert_eq!(left[1].detail["entries"], json!(3));
    assert_eq!(numbers(&left[1]), (json!(old[4].number), json!(old[2].number)));
    assert_eq!(numbers(&left[0]), (json!(old[1].number), json!(old[0].number)));
}

/// D14: with a retention of zero pruning terminates, and numbers still grow.
async fn audit_prune_of_everything_terminates(store: &Harness) {
    write_audit_entries(store, 5).await;
    let newest = audited(store).await[0].number;
    let retention = retention_with(|retention| retention.audit_for = Some(Duration::ZERO));
    let mut rounds = 0;
    while !prune(store, &retention).await.is_nothing() {
        rounds += 1;
        assert!(rounds < 10);
    }
    write_audit_entries(store, 1).await;
    assert!(audited(store).await[0].number > newest);
}
