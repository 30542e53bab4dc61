//! Reports of workers and budgets (H2, G3).

use std::slice;

use steadfast::guard::BudgetSettings;
use steadfast_store::{BudgetReport, Retention, StoreError, WorkerReport};

use crate::harness::*;

cases![
    idle_worker_is_listed,
    worker_report_replaces_the_previous_one,
    workers_of_one_name_are_listed_by_instance,
    deregistered_worker_is_not_listed,
    silent_worker_expires,
    budgets_of_every_instance_are_listed,
    silent_instance_has_no_budget,
    report_without_a_name_is_rejected,
];

fn worker(name: &str, instance: Option<&str>) -> WorkerReport {
    WorkerReport {
        name: name.to_owned(),
        instance: instance.map(str::to_owned),
        seen_at: None,
        queues: Some(vec!["mail".to_owned(), "'; DROP TABLE".to_owned()]),
        concurrency: Some(100),
        running: Some(3),
    }
}

fn budget(policy: &str, instance: &str, balance: u64) -> BudgetReport {
    BudgetReport {
        policy: policy.to_owned(),
        instance: instance.to_owned(),
        seen_at: None,
        balance,
        settings: BudgetSettings::Rate { retries_per_second: 10.5 },
    }
}

async fn names(store: &Harness) -> Vec<(String, Option<String>)> {
    let workers = store.workers().await.unwrap().into_iter();
    workers.map(|worker| (worker.name, worker.instance)).collect()
}

/// H2: an idle worker is not a missing one. Each is listed as reported, with the time of the
/// report.
async fn idle_worker_is_listed(store: &Harness) {
    assert_eq!(store.workers().await.unwrap(), []);
    let elsewhere =
        WorkerReport { queues: None, concurrency: None, running: None, ..worker("b", None) };
    let reported = [worker("a", Some("host-1")), elsewhere];
    let before = store.now().await.unwrap();
    for report in reported.iter().rev() {
        store.report_worker(report).await.unwrap();
    }
    let shown = store.another().await.workers().await.unwrap();
    assert_eq!(shown.len(), 2);
    for (shown, reported) in shown.iter().zip(&reported) {
        assert!(shown.seen_at.unwrap() >= before);
        assert_eq!(&WorkerReport { seen_at: None, ..shown.clone() }, reported);
    }
    assert_eq!(store.worker_status().await.unwrap().workers, []);
}

async fn worker_report_replaces_the_previous_one(store: &Harness) {
    store.report_worker(&worker("a", None)).await.unwrap();
    store.report_worker(&WorkerReport { running: Some(7), ..worker("a", None) }).await.unwrap();
    let running: Vec<_> = store.workers().await.unwrap().iter().map(|it| it.running).collect();
    assert_eq!(running, [Some(7)]);
}

/// H2: names need not be unique.
async fn workers_of_one_name_are_listed_by_instance(store: &Harness) {
    for instance in [None, Some("host-2"), Some("host-1")] {
        store.report_worker(&worker("a", instance)).await.unwrap();
    }
    let instances: Vec<_> = names(store).await.into_iter().map(|(_, instance)| instance).collect();
    assert_eq!(instances, [None, Some("host-1".to_owned()), Some("host-2".to_owned())]);
}

/// D13: a graceful shutdown removes the worker at once.
async fn deregistered_worker_is_not_listed(store: &Harness) {
    for instance in [None, Some("host-1")] {
        store.report_worker(&worker("a", instance)).await.unwrap();
    }
    store.deregister_worker("a", Some("host-1")).await.unwrap();
    store.deregister_worker("unknown", None).await.unwrap();
    assert_eq!(names(store).await, [("a".to_owned(), None)]);
}

/// H2, D14: a worker that was killed is shown as silent, and is deleted after ten minutes.
async fn silent_worker_expires(store: &Harness) {
    store.report_worker(&worker("a", None)).await.unwrap();
    store.report_budgets(&[budget("pay", "a", 1)]).await.unwrap();
    store.age_reports(secs(500)).await;
    store.prune(&Retention::forever()).await.unwrap();
    assert_eq!(names(store).await.len(), 1);
    store.age_reports(secs(200)).await;
    store.report_worker(&worker("b", None)).await.unwrap();
    assert_eq!(names(store).await, [("b".to_owned(), None)]);
    assert_eq!(store.report_rows().await, [2, 1]);
    store.prune(&Retention::forever()).await.unwrap();
    assert_eq!(store.report_rows().await, [1, 0]);
}

/// G3: by policy and instance, with the current values.
async fn budgets_of_every_instance_are_listed(store: &Harness) {
    let reported = [budget("pay", "b", 7), budget("mail", "b", u64::MAX), budget("pay", "a", 0)];
    let before = store.now().await.unwrap();
    store.report_budgets(&reported).await.unwrap();
    store.report_budgets(&[budget("pay", "b", 6)]).await.unwrap();
    let shown = store.another().await.budgets().await.unwrap();
    assert!(shown.iter().all(|report| report.seen_at.unwrap() >= before));
    let shown: Vec<_> =
        shown.into_iter().map(|report| BudgetReport { seen_at: None, ..report }).collect();
    let last = [budget("mail", "b", u64::MAX), budget("pay", "a", 0), budget("pay", "b", 6)];
    assert_eq!(shown, last);
}

/// G3: an instance that was killed sends no reports; after two minutes it is no longer listed.
async fn silent_instance_has_no_budget(store: &Harness) {
    store.report_budgets(&[budget("pay", "a", 1)]).await.unwrap();
    store.age_reports(secs(120)).await;
    assert_eq!(store.budgets().await.unwrap(), []);
}

/// K4: invalid names are rejected.
async fn report_without_a_name_is_rejected(store: &Harness) {
    let rejected = store.report_worker(&worker("", None)).await;
    assert!(matches!(rejected, Err(StoreError::Invalid(why)) if why.field() == "name"));
    let rejected = store.report_worker(&worker("a", Some("tab\there"))).await;
    assert!(matches!(rejected, Err(StoreError::Invalid(why)) if why.field() == "instance"));
    let unnamed_queue = WorkerReport { queues: Some(vec![String::new()]), ..worker("a", None) };
    let rejected = store.report_worker(&unnamed_queue).await;
    assert!(matches!(rejected, Err(StoreError::Invalid(why)) if why.field() == "queues"));
    let rejected = store.report_budgets(slice::from_ref(&budget("", "a", 1))).await;
    assert!(matches!(rejected, Err(StoreError::Invalid(why)) if why.field() == "policy"));
}
