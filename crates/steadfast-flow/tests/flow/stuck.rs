//! K4: what can never go on does not wait for ever. It fails where people see it.

use serde_json::{Value, json};
use steadfast_flow::{ExecutionFilter, ExecutionId, ExecutionStatus, NodePlace, Start};
use steadfast_store::{PageRequest, Status, StoredExecution, Task};

use crate::harness::{Hands, Harness, completed, somebody, workflow};

impl Harness {
    /// The texts of workflows are not any more what they were.
    async fn spoil_workflows(&self) {
        let spoil = "UPDATE {}workflows SET body = '{\"name\": \"test\"}'";
        let (on_postgres, on_sqlite) =
            (spoil.replacen("{}", "steadfast.", 1), spoil.replacen("{}", "steadfast_", 1));
        self.database.execute(&on_postgres, &on_sqlite).await;
    }

    /// Looks until an execution has ended that cannot be shown.
    async fn over(&self, id: ExecutionId) -> StoredExecution {
        loop {
            let stored = self.store().execution(id).await.unwrap();
            if stored.ended_at.is_some() {
                return stored;
            }
            tokio::task::yield_now().await;
        }
    }
}

/// A task under the key of the second of two nodes.
fn second(id: ExecutionId, payload: Value) -> Task {
    Task::new("do", &payload).key(format!("{id}/b"))
}

/// W2: an execution whose next node's key belongs to other work fails, and says whose it is.
async fn a_key_that_is_taken_fails_the_execution(store: Harness) {
    let flow = workflow(&[("a", &[]), ("b", &["a"])]);
    let id = store.start(&flow, Value::Null).await;
    let other = store.store().submit(second(id, json!("another"))).await.unwrap().id;
    let fine = store.start(&flow, Value::Null).await;
    let hands = Hands::default();
    let execution = store.run(&hands, id).await;
    assert_eq!(execution.status, ExecutionStatus::Failed);
    let told = execution.message.unwrap();
    assert!(told.contains(&format!("belongs to task {other}")), "{told}");
    assert_eq!(execution.nodes[0].status, NodePlace::Completed);
    assert!(completed(&store.run(&hands, fine).await), "the others do not suffer for it");
    let told = store.flow.resume(id, &somebody()).await.unwrap_err().to_string();
    assert!(told.contains("belongs to task"), "{told}");
    let next = store.flow.retry(id, &somebody()).await.unwrap();
    assert!(completed(&store.run(&hands, next).await));
}

/// D9: a node whose task is there already has that one.
async fn a_task_that_is_there_already_is_the_node_s(store: Harness) {
    let id = store.start(&workflow(&[("a", &[]), ("b", &["a"])]), Value::Null).await;
    let same = json!({ "trigger": null, "nodes": { "a": "a" } });
    let task = store.store().submit(second(id, same)).await.unwrap().id;
    let execution = store.sweeping().run(&Hands::default(), id).await;
    assert!(completed(&execution), "{execution:?}");
    assert_eq!(execution.nodes[1].task, Some(task));
}

/// W2: an execution whose workflow cannot be read fails, and what is under way is called off.
async fn an_unreadable_workflow_fails_its_executions(store: Harness) {
    let flow = workflow(&[("a", &[]), ("b", &[]), ("c", &["a"])]);
    let id = store.start(&flow, Value::Null).await;
    store.spoil_workflows().await;
    let other = store.another().await;
    let hands = Hands::default().when("b", [crate::harness::Answer::Never]);
    let failed = other.served(&hands, other.over(id)).await;
    assert_eq!(failed.status, ExecutionStatus::Failed);
    let told = failed.message.unwrap();
    assert!(told.contains("cannot be read"), "{told}");
    let task = store.store().task(failed.nodes[1].task.unwrap()).await.unwrap();
    assert_eq!(task.status, Status::Cancelled);
}

/// H1: one workflow that cannot be read does not spoil a list, which still says what failed.
async fn an_unreadable_workflow_does_not_spoil_a_list(store: Harness) {
    let flow = workflow(&[("a", &[]), ("b", &[])]);
    let hands = Hands::default().when("b", [crate::harness::gone()]);
    let id = store.done(&hands, &flow).await.id;
    store.spoil_workflows().await;
    let other = store.another().await;
    let page = PageRequest { limit: 10, after: None };
    let listed = other.flow.executions(&ExecutionFilter::all(), &page).await.unwrap().items;
    assert_eq!((listed[0].id, listed[0].failed_node.as_deref()), (id, Some("b")));
    assert_eq!(other.flow.chain(id).await.unwrap()[0].failed_node.as_deref(), Some("b"));
}

/// W4: a workflow is read and checked once, however often it is started.
async fn a_workflow_is_read_once(store: Harness) {
    let number = store.flow.keep(&workflow(&[("a", &[])])).await.unwrap();
    let other = store.another().await;
    other.flow.workflow(number).await.unwrap();
    store.spoil_workflows().await;
    let known = other.flow.workflow(number).await.unwrap();
    other.flow.start(Start::of(&known, &Value::Null)).await.unwrap();
    let told = store.another().await.flow.workflow(number).await.unwrap_err().to_string();
    assert!(told.starts_with(&format!("workflow {number} cannot be read: ")), "{told}");
    let told = other.flow.workflow(number + 1).await.unwrap_err().to_string();
    assert_eq!(told, format!("there is no workflow {}", number + 1));
}

/// D10: it can be called off as well.
async fn an_execution_is_called_off_without_its_workflow(store: Harness) {
    let id = store.start(&workflow(&[("a", &[])]), Value::Null).await;
    store.spoil_workflows().await;
    let other = store.another().await;
    other.flow.cancel(id, &somebody()).await.unwrap();
    let cancelled = other.store().execution(id).await.unwrap();
    assert_eq!(cancelled.status, ExecutionStatus::Cancelled);
    let task = other.store().task(cancelled.nodes[0].task.unwrap()).await.unwrap();
    assert_eq!(task.status, Status::Cancelled);
}

cases!(
    a_key_that_is_taken_fails_the_execution,
    a_task_that_is_there_already_is_the_node_s,
    an_unreadable_workflow_fails_its_executions,
    an_unreadable_workflow_does_not_spoil_a_list,
    a_workflow_is_read_once,
    an_execution_is_called_off_without_its_workflow,
);
