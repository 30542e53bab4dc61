//! D14: executions are forgotten as tasks are, and never while a task of theirs is open.

use std::time::Duration;

use serde_json::{Value, json};
use steadfast_flow::{ExecutionFilter, ExecutionId};
use steadfast_store::{PageRequest, Retention, Verdict};

use crate::harness::{Answer, Hands, Harness, completed, done, gone, somebody, workflow};

const DAY: u64 = 86_400;

impl Harness {
    /// Every task that has ended was pruned.
    pub(crate) async fn forget_tasks(&self) {
        self.database
            .execute(
                "WITH gone AS (DELETE FROM steadfast.ended RETURNING id)
                 DELETE FROM steadfast.tasks t USING gone WHERE t.id = gone.id",
                "DELETE FROM steadfast_tasks WHERE id IN (SELECT id FROM steadfast_ended);
                 DELETE FROM steadfast_ended;",
            )
            .await;
    }

    /// Everything that has ended did so this many days earlier.
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

fn kept() -> Retention {
    let mut kept = Retention::forever();
    kept.completed_for = Some(Duration::from_secs(7 * DAY));
    kept.failed_for = Some(Duration::from_secs(90 * DAY));
    kept
}

/// D14: successes go before failures, and what runs stays.
async fn executions_are_forgotten_by_age(store: Harness) {
    let flow = workflow(&[("a", &[])]);
    let hands = Hands::default().when("a", [gone(), done(json!(1))]);
    let failed = store.done(&hands, &flow).await.id;
    let completed = store.done(&hands, &flow).await.id;
    let running = store.start(&flow, Value::Null).await;
    assert_eq!(store.store().prune(&kept()).await.unwrap().executions, 0);
    store.age(8).await;
    let mut would = kept();
    would.dry_run = true;
    assert_eq!(store.store().prune(&would).await.unwrap().executions, 1);
    assert_eq!(store.store().prune(&kept()).await.unwrap().executions, 1);
    assert_eq!(store.all().await, [running, failed]);
    assert!(store.flow.execution(completed).await.is_err());
    store.age(90).await;
    assert_eq!(store.store().prune(&kept()).await.unwrap().executions, 1);
    assert_eq!(store.all().await, [running]);
}

/// D14: the oldest of too many go.
async fn executions_are_forgotten_by_count(store: Harness) {
    let flow = workflow(&[("a", &[])]);
    let hands = Hands::default();
    let mut ids = Vec::new();
    for _ in 0..5 {
        ids.push(store.done(&hands, &flow).await.id);
    }
    let mut two = Retention::forever();
    two.ended_at_most = Some(2);
    assert_eq!(store.store().prune(&two).await.unwrap().executions, 3);
    assert_eq!(store.all().await, [ids[4], ids[3]]);
    assert_eq!(store.store().prune(&two).await.unwrap().executions, 0);
}

/// D14: of those that ended in one moment, no more go than are too many.
async fn executions_that_ended_together_go_one_by_one(store: Harness) {
    let flow = workflow(&[("a", &[])]);
    for _ in 0..5 {
        store.done(&Hands::default(), &flow).await;
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

/// D14: an execution that has ended while a task of it has not stays until that has.
async fn what_has_an_open_task_is_not_forgotten(store: Harness) {
    let id = store.start(&workflow(&[("a", &[])]), Value::Null).await;
    let ended = "UPDATE {}executions SET status = 'failed', ended_at = started_at";
    store
        .database
        .execute(&ended.replace("{}", "steadfast."), &ended.replace("{}", "steadfast_"))
        .await;
    store.age(1000).await;
    assert_eq!(store.store().prune(&kept()).await.unwrap().executions, 0);
    assert_eq!(store.all().await, [id]);
}

/// W4: a workflow may wait for weeks, and the tasks of its first nodes are forgotten meanwhile:
/// what they answered is not.
async fn an_answer_outlives_its_task(store: Harness) {
    let flow = workflow(&[("a", &[]), ("b", &["a"]), ("c", &["a", "b"])]);
    let hands = Hands::default().when("b", [Answer::Never]);
    let id = store.start(&flow, Value::Null).await;
    let under_way = async {
        while hands.count("b") == 0 {
            tokio::task::yield_now().await;
        }
    };
    store.served(&hands, under_way).await;
    store.forget_tasks().await;
    let hands = Hands::default();
    let execution = store.run(&hands, id).await;
    assert!(completed(&execution), "{execution:?}");
    assert_eq!(hands.asked("c")[0]["nodes"], json!({ "a": "a", "b": "b" }));
}

/// W3: a failed execution is kept for longer than the completed one that followed it, and is not
/// started again for that.
async fn an_execution_stays_followed_when_its_follower_is_forgotten(store: Harness) {
    let hands = Hands::default().when("a", [gone(), done(json!(1))]);
    let failed = store.done(&hands, &workflow(&[("a", &[])])).await.id;
    let next = store.flow.retry(failed, &somebody()).await.unwrap();
    assert!(completed(&store.run(&hands, next).await));
    store.age(8).await;
    assert_eq!(store.store().prune(&kept()).await.unwrap().executions, 1);
    assert_eq!(store.show(failed).await.next, Some(next));
    for refused in [
        store.flow.retry(failed, &somebody()).await.unwrap_err(),
        store.flow.resume(failed, &somebody()).await.unwrap_err(),
    ] {
        assert!(refused.to_string().contains("followed by another already"), "{refused}");
    }
    let chain = store.flow.chain(failed).await.unwrap();
    assert_eq!(chain.iter().map(|one| one.id).collect::<Vec<_>>(), [failed]);
}

/// W2, W4: a task is not forgotten before it was noticed how it ended, however long that takes.
async fn an_end_that_nobody_noticed_is_not_forgotten(store: Harness) {
    let flow = workflow(&[("a", &[]), ("b", &["a"])]);
    let id = store.start(&flow, Value::Null).await;
    store.settle_unheard(Verdict::Completed { result: Some("7".to_owned()) }).await;
    store.age(1000).await;
    let mut none = kept();
    none.ended_at_most = Some(0);
    let mut would = none.clone();
    would.dry_run = true;
    assert_eq!(store.store().prune(&would).await.unwrap().tasks, 0);
    assert_eq!(store.store().prune(&none).await.unwrap().tasks, 0);
    let hands = Hands::default();
    assert!(completed(&store.sweeping().run(&hands, id).await));
    assert_eq!(hands.asked("b"), [json!({ "trigger": null, "nodes": { "a": 7 } })]);
    store.age(1000).await;
    assert_eq!(store.store().prune(&would).await.unwrap().tasks, 2);
    assert_eq!(store.store().prune(&none).await.unwrap().tasks, 2);
}

cases!(
    an_execution_stays_followed_when_its_follower_is_forgotten,
    an_end_that_nobody_noticed_is_not_forgotten,
    executions_are_forgotten_by_age,
    executions_are_forgotten_by_count,
    executions_that_ended_together_go_one_by_one,
    what_has_an_open_task_is_not_forgotten,
    an_answer_outlives_its_task,
);
