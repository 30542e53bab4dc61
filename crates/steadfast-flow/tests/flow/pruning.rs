//! D14: executions are pruned like tasks, and never while one of their tasks is open.

use std::time::Duration;

use serde_json::{Value, json};
use steadfast_flow::{ExecutionFilter, ExecutionId};
use steadfast_store::{PageRequest, Retention, Verdict};

use crate::harness::{Handlers, Harness, Response, completed, done, gone, operator, workflow};

const DAY: u64 = 86_400;

impl Harness {
    /// Prunes every finished task.
    pub(crate) async fn prune_tasks(&self) {
        self.database
            .execute(
                "WITH gone AS (DELETE FROM steadfast.ended RETURNING id)
                 DELETE FROM steadfast.tasks t USING gone WHERE t.id = gone.id",
                "DELETE FROM steadfast_tasks WHERE id IN (SELECT id FROM steadfast_ended);
                 DELETE FROM steadfast_ended;",
            )
            .await;
    }

    /// Moves all ends this many days back.
    async fn age(&self, days: u64) {
        let by = days * DAY;
        for table in ["executions", "ended"] {
            let earlier = format!("{table} SET ended_at = ended_at -");
            self.database
                .execute(
                    &format!("UPDATE steadfast.{earlier} interval '{by} s'"),
                    &format!("UPDATE steadfast_{earlier} {by} * 1000000"),
                )
                .await;
        }
    }

    async fn all(&self) -> Vec<ExecutionId> {
        let page = PageRequest { limit: 100, after: None };
        let all = self.flow.executions(&ExecutionFilter::all(), &page).await.unwrap();
        all.items.iter().map(|execution| execution.id).collect()
    }
}

fn retention() -> Retention {
    let mut retention = Retention::forever();
    retention.completed_for = Some(Duration::from_secs(7 * DAY));
    retention.failed_for = Some(Duration::from_secs(90 * DAY));
    retention
}

/// D14: completed executions are pruned before failed ones, and running ones stay.
async fn executions_are_pruned_by_age(store: Harness) {
    let flow = workflow(&[("a", &[])]);
    let handlers = Handlers::default().when("a", [gone(), done(json!(1))]);
    let failed = store.done(&handlers, &flow).await.id;
    let completed = store.done(&handlers, &flow).await.id;
    let running = store.start(&flow, Value::Null).await;
    assert_eq!(store.store().prune(&retention()).await.unwrap().executions, 0);
    store.age(8).await;
    let mut would = retention();
    would.dry_run = true;
    assert_eq!(store.store().prune(&would).await.unwrap().executions, 1);
    assert_eq!(store.store().prune(&retention()).await.unwrap().executions, 1);
    assert_eq!(store.all().await, [running, failed]);
    assert!(store.flow.execution(completed).await.is_err());
    store.age(90).await;
    assert_eq!(store.store().prune(&retention()).await.unwrap().executions, 1);
    assert_eq!(store.all().await, [running]);
}

/// D14: the oldest executions beyond the limit are pruned.
async fn executions_are_pruned_by_count(store: Harness) {
    let flow = workflow(&[("a", &[])]);
    let handlers = Handlers::default();
    let mut ids = Vec::new();
    for _ in 0..5 {
        ids.push(store.done(&handlers, &flow).await.id);
    }
    let mut two = Retention::forever();
    two.ended_at_most = Some(2);
    assert_eq!(store.store().prune(&two).await.unwrap().executions, 3);
    assert_eq!(store.all().await, [ids[4], ids[3]]);
    assert_eq!(store.store().prune(&two).await.unwrap().executions, 0);
}

/// D14: of executions that ended at the same time, only those beyond the limit are pruned.
async fn executions_ended_at_once_are_pruned_by_count(store: Harness) {
    let flow = workflow(&[("a", &[])]);
    for _ in 0..5 {
        store.done(&Handlers::default(), &flow).await;
    }
    let together = "UPDATE {}executions SET ended_at = (SELECT max(ended_at) FROM {}executions)";
    store
        .database
        .execute(&together.replace("{}", "steadfast."), &together.replace("{}", "steadfast_"))
        .await;
    let mut two = Retention::forever();
    two.ended_at_most = Some(2);
    let mut would = two.clone();
    would.dry_run = true;
    assert_eq!(store.store().prune(&would).await.unwrap().executions, 3);
    assert_eq!(store.store().prune(&two).await.unwrap().executions, 3);
    assert_eq!(store.all().await.len(), 2);
}

/// D14: a finished execution with an open task is not pruned.
async fn execution_with_an_open_task_is_not_pruned(store: Harness) {
    let id = store.start(&workflow(&[("a", &[])]), Value::Null).await;
    let ended = "UPDATE {}executions SET status = 'failed', ended_at = started_at";
    store
        .database
        .execute(&ended.replace("{}", "steadfast."), &ended.replace("{}", "steadfast_"))
        .await;
    store.age(1000).await;
    assert_eq!(store.store().prune(&retention()).await.unwrap().executions, 0);
    assert_eq!(store.all().await, [id]);
}

/// W4: an execution may take weeks, and the tasks of its first nodes are pruned meanwhile: their
/// results are not.
async fn result_outlives_its_pruned_task(store: Harness) {
    let flow = workflow(&[("a", &[]), ("b", &["a"]), ("c", &["a", "b"])]);
    let handlers = Handlers::default().when("b", [Response::Never]);
    let id = store.start(&flow, Value::Null).await;
    let in_progress = async {
        while handlers.count("b") == 0 {
            tokio::task::yield_now().await;
        }
    };
    store.served(&handlers, in_progress).await;
    store.prune_tasks().await;
    let handlers = Handlers::default();
    let execution = store.run(&handlers, id).await;
    assert!(completed(&execution), "{execution:?}");
    assert_eq!(handlers.payloads("c")[0]["nodes"], json!({ "a": "a", "b": "b" }));
}

/// W3: a failed execution is retained for longer than its completed follow-up, and is not
/// retried again.
async fn execution_with_a_pruned_follow_up_is_not_retried(store: Harness) {
    let handlers = Handlers::default().when("a", [gone(), done(json!(1))]);
    let failed = store.done(&handlers, &workflow(&[("a", &[])])).await.id;
    let next = store.flow.retry(failed, &operator()).await.unwrap();
    assert!(completed(&store.run(&handlers, next).await));
    store.age(8).await;
    assert_eq!(store.store().prune(&retention()).await.unwrap().executions, 1);
    assert_eq!(store.show(failed).await.next, Some(next));
    for rejected in [
        store.flow.retry(failed, &operator()).await.unwrap_err(),
        store.flow.resume(failed, &operator()).await.unwrap_err(),
    ] {
        assert!(rejected.to_string().contains("already retried as execution"), "{rejected}");
    }
    let chain = store.flow.chain(failed).await.unwrap();
    assert_eq!(chain.iter().map(|one| one.id).collect::<Vec<_>>(), [failed]);
}

/// W2, W4: a task is not pruned before its end is recorded in its execution.
async fn task_with_an_unrecorded_end_is_not_pruned(store: Harness) {
    let flow = workflow(&[("a", &[]), ("b", &["a"])]);
    let id = store.start(&flow, Value::Null).await;
    store.settle_unpublished(Verdict::Completed { result: Some("7".to_owned()) }).await;
    store.age(1000).await;
    let mut none = retention();
    none.ended_at_most = Some(0);
    let mut would = none.clone();
    would.dry_run = true;
    assert_eq!(store.store().prune(&would).await.unwrap().tasks, 0);
    assert_eq!(store.store().prune(&none).await.unwrap().tasks, 0);
    let handlers = Handlers::default();
    assert!(completed(&store.sweeping().run(&handlers, id).await));
    assert_eq!(handlers.payloads("b"), [json!({ "trigger": null, "nodes": { "a": 7 } })]);
    store.age(1000).await;
    assert_eq!(store.store().prune(&would).await.unwrap().tasks, 2);
    assert_eq!(store.store().prune(&none).await.unwrap().tasks, 2);
}

cases!(
    execution_with_a_pruned_follow_up_is_not_retried,
    task_with_an_unrecorded_end_is_not_pruned,
    executions_are_pruned_by_age,
    executions_are_pruned_by_count,
    executions_ended_at_once_are_pruned_by_count,
    execution_with_an_open_task_is_not_pruned,
    result_outlives_its_pruned_task,
);
