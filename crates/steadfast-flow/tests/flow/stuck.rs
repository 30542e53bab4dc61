//! K4: an execution that can never advance fails visibly.

use serde_json::{Value, json};
use steadfast_flow::{ExecutionFilter, ExecutionId, ExecutionNodeStatus, ExecutionStatus, Start};
use steadfast_store::{PageRequest, Status, StoredExecution, Task};

use crate::harness::{Handlers, Harness, completed, operator, workflow};

impl Harness {
    /// Makes the stored workflow definitions invalid.
    async fn corrupt_workflows(&self) {
        let spoil = "UPDATE {}workflows SET body = '{\"name\": \"test\"}'";
        let (on_postgres, on_sqlite) =
            (spoil.replacen("{}", "steadfast.", 1), spoil.replacen("{}", "steadfast_", 1));
        self.database.execute(&on_postgres, &on_sqlite).await;
    }

    /// Polls until an execution has ended whose workflow cannot be parsed.
    async fn stored_end(&self, id: ExecutionId) -> StoredExecution {
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

/// W2: an execution whose next node's key belongs to another task fails and names that task.
async fn key_of_another_task_fails_the_execution(store: Harness) {
    let flow = workflow(&[("a", &[]), ("b", &["a"])]);
    let id = store.start(&flow, Value::Null).await;
    let other = store.store().submit(second(id, json!("another"))).await.unwrap().id;
    let fine = store.start(&flow, Value::Null).await;
    let handlers = Handlers::default();
    let execution = store.run(&handlers, id).await;
    assert_eq!(execution.status, ExecutionStatus::Failed);
    let message = execution.message.unwrap();
    assert!(message.contains(&format!("already used for task {other}")), "{message}");
    assert_eq!(execution.nodes[0].status, ExecutionNodeStatus::Completed);
    assert!(completed(&store.run(&handlers, fine).await), "other executions are not affected");
    let message = store.flow.resume(id, &operator()).await.unwrap_err().to_string();
    assert!(message.contains("already used for task"), "{message}");
    let next = store.flow.retry(id, &operator()).await.unwrap();
    assert!(completed(&store.run(&handlers, next).await));
}

/// D9: a node whose task exists already uses it.
async fn existing_task_with_the_same_payload_is_used(store: Harness) {
    let id = store.start(&workflow(&[("a", &[]), ("b", &["a"])]), Value::Null).await;
    let same = json!({ "trigger": null, "nodes": { "a": "a" } });
    let task = store.store().submit(second(id, same)).await.unwrap().id;
    let execution = store.sweeping().run(&Handlers::default(), id).await;
    assert!(completed(&execution), "{execution:?}");
    assert_eq!(execution.nodes[1].task, Some(task));
}

/// W2: an execution with an invalid definition fails, and its open tasks are cancelled.
async fn invalid_definition_fails_its_executions(store: Harness) {
    let flow = workflow(&[("a", &[]), ("b", &[]), ("c", &["a"])]);
    let id = store.start(&flow, Value::Null).await;
    store.corrupt_workflows().await;
    let other = store.another().await;
    let handlers = Handlers::default().when("b", [crate::harness::Response::Never]);
    let failed = other.served(&handlers, other.stored_end(id)).await;
    assert_eq!(failed.status, ExecutionStatus::Failed);
    let message = failed.message.unwrap();
    assert!(message.contains("cannot decode workflow"), "{message}");
    let task = store.store().task(failed.nodes[1].task.unwrap()).await.unwrap();
    assert_eq!(task.status, Status::Cancelled);
}

/// H1: an invalid definition does not break a list, which still shows the failed node.
async fn invalid_definition_does_not_break_a_list(store: Harness) {
    let flow = workflow(&[("a", &[]), ("b", &[])]);
    let handlers = Handlers::default().when("b", [crate::harness::gone()]);
    let id = store.done(&handlers, &flow).await.id;
    store.corrupt_workflows().await;
    let other = store.another().await;
    let page = PageRequest { limit: 10, after: None };
    let listed = other.flow.executions(&ExecutionFilter::all(), &page).await.unwrap().items;
    assert_eq!((listed[0].id, listed[0].failed_node.as_deref()), (id, Some("b")));
    assert_eq!(other.flow.chain(id).await.unwrap()[0].failed_node.as_deref(), Some("b"));
}

/// W4: a definition is parsed once, however often it is started.
async fn definition_is_parsed_once(store: Harness) {
    let number = store.flow.save(&workflow(&[("a", &[])])).await.unwrap();
    let other = store.another().await;
    other.flow.workflow(number).await.unwrap();
    store.corrupt_workflows().await;
    let known = other.flow.workflow(number).await.unwrap();
    other.flow.start(Start::of(&known, &Value::Null)).await.unwrap();
    let message = store.another().await.flow.workflow(number).await.unwrap_err().to_string();
    assert!(message.starts_with(&format!("cannot decode workflow {number}: ")), "{message}");
    let message = other.flow.workflow(number + 1).await.unwrap_err().to_string();
    assert_eq!(message, format!("no workflow {}", number + 1));
}

/// D10: an execution with an invalid definition can be cancelled.
async fn execution_with_an_invalid_definition_is_cancelled(store: Harness) {
    let id = store.start(&workflow(&[("a", &[])]), Value::Null).await;
    store.corrupt_workflows().await;
    let other = store.another().await;
    other.flow.cancel(id, &operator()).await.unwrap();
    let cancelled = other.store().execution(id).await.unwrap();
    assert_eq!(cancelled.status, ExecutionStatus::Cancelled);
    let task = other.store().task(cancelled.nodes[0].task.unwrap()).await.unwrap();
    assert_eq!(task.status, Status::Cancelled);
}

cases!(
    key_of_another_task_fails_the_execution,
    existing_task_with_the_same_payload_is_used,
    invalid_definition_fails_its_executions,
    invalid_definition_does_not_break_a_list,
    definition_is_parsed_once,
    execution_with_an_invalid_definition_is_cancelled,
);
