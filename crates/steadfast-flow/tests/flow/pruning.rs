//! D14: executions are forgotten as tasks are, and never while a task of theirs is open.

use std::time::Duration;

use serde_json::{Value, json};
use steadfast_flow::{ExecutionFilter, ExecutionId};
use steadfast_store::{PageRequest, Retention};

use crate::harness::{Answer, Hands, Harness, completed, done, gone, workflow};

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
        self.database
            .execute(
                &format!("UPDATE steadfast.executions SET ended_at = ended_at - interval '{by} s'"),
                &format!("UPDATE steadfast_executions SET ended_at = ended_at - {by} * 1000000"),
            )
            .await;
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

cases!(
    executions_are_forgotten_by_age,
    executions_are_forgotten_by_count,
    what_has_an_open_task_is_not_forgotten,
    an_answer_outlives_its_task,
);
