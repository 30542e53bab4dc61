//! W2: a failed node is retried with its stored input; one without attempts left fails the execution.

use std::sync::Arc;

use serde_json::{Value, json};
use steadfast::Fault;
use steadfast_flow::{ExecutionNodeStatus, ExecutionStatus, Start};
use steadfast_store::Status;

use crate::harness::{
    Handlers, Harness, Response, completed, done, gone, parsed, unavailable, workflow,
};

fn retried(node: &str, before: &[&str]) -> Value {
    json!({
        "nodeId": node, "type": "do", "dependsOn": before,
        "retry": { "enabled": true, "strategy": "immediate", "maxAttempts": 2 }
    })
}

/// W2: the input is the same each time, and completed nodes do not run again.
async fn failed_node_is_retried_with_its_stored_input(store: Harness) {
    let flow = parsed(json!({ "name": "w", "nodes": [retried("a", &[]), retried("b", &["a"])] }));
    let handlers = Handlers::default()
        .when("a", [done(json!(1)), done(json!(2))])
        .when("b", [unavailable(), unavailable(), done(json!("at last"))]);
    let id = store.start(&flow, json!("t")).await;
    let execution = store.run(&handlers, id).await;
    assert!(completed(&execution), "{execution:?}");
    assert_eq!(handlers.count("a"), 1);
    let input = json!({ "trigger": "t", "nodes": { "a": 1 } });
    assert_eq!(handlers.payloads("b"), [input.clone(), input.clone(), input]);
}

/// W2: when the attempts are exhausted, the execution fails with the node and the reason.
async fn node_with_exhausted_attempts_fails_the_execution(store: Harness) {
    let flow = parsed(json!({
        "name": "w",
        "nodes": [retried("a", &[]), retried("b", &["a"]), retried("c", &["b"])]
    }));
    let handlers = Handlers::default().when("b", [unavailable()]);
    let execution = store.done(&handlers, &flow).await;
    assert_eq!(execution.status, ExecutionStatus::Failed);
    assert_eq!(execution.failed_node.as_deref(), Some("b"));
    let message = execution.message.clone().unwrap();
    assert!(message.starts_with("node b failed (attempts exhausted)"), "{message}");
    assert!(message.contains("overloaded"), "{message}");
    assert_eq!(["a", "b", "c"].map(|node| handlers.count(node)), [1, 3, 0]);
    let places = execution.nodes.iter().map(|node| node.status).collect::<Vec<_>>();
    assert_eq!(
        places,
        [ExecutionNodeStatus::Completed, ExecutionNodeStatus::Failed, ExecutionNodeStatus::Waiting]
    );
    assert!(execution.node("b").unwrap().message.as_ref().unwrap().contains("overloaded"));
}

/// S2: a node without an enabled retry is tried once, whatever it fails with.
async fn node_without_a_retry_is_tried_once(store: Harness) {
    let rate_limited =
        Fault::http(429).with_hint(steadfast::Hint::After(std::time::Duration::ZERO));
    for fault in [Fault::http(503), Fault::timed_out(), rate_limited] {
        let disabled = json!({ "enabled": false, "strategy": "immediate", "maxAttempts": 5 });
        for retry in [Value::Null, disabled] {
            let mut node = json!({ "nodeId": "a", "type": "do" });
            if !retry.is_null() {
                node["retry"] = retry;
            }
            let flow = parsed(json!({ "name": "w", "nodes": [node] }));
            let handlers = Handlers::default().when("a", [Response::Failed(fault.clone())]);
            let execution = store.done(&handlers, &flow).await;
            assert_eq!(execution.status, ExecutionStatus::Failed);
            assert_eq!(handlers.count("a"), 1, "{fault:?}");
        }
    }
}

/// W2: open tasks beside the failed node are cancelled.
async fn open_tasks_of_a_failed_execution_are_cancelled(store: Harness) {
    let flow = workflow(&[("bad", &[]), ("slow", &[]), ("late", &["slow"])]);
    let handlers = Handlers::default().when("bad", [gone()]).when("slow", [Response::Never]);
    let id = store.start(&flow, Value::Null).await;
    let over = store.until(id, |execution| {
        execution.node("slow").unwrap().status == ExecutionNodeStatus::Cancelled
    });
    let execution = store.served(&handlers, over).await;
    assert_eq!(execution.status, ExecutionStatus::Failed);
    assert_eq!(execution.failed_node.as_deref(), Some("bad"));
    let task = execution.node("slow").unwrap().task.unwrap();
    assert_eq!(store.store().task(task).await.unwrap().status, Status::Cancelled);
    assert_eq!(handlers.count("late"), 0);
}

/// H1: an execution is read as of one moment, and never between two parts of a step.
async fn execution_is_read_as_of_one_moment(store: Harness) {
    let flow = Arc::new(workflow(&[("bad", &[]), ("slow", &[])]));
    let handlers = Handlers::default().when("bad", [gone()]).when("slow", [Response::Never]);
    let starts = (0..40).map(|_| Start::of(&flow, &Value::Null)).collect();
    let started = store.flow.start_all(starts).await.unwrap();
    let all_over = async {
        for one in &started {
            loop {
                let execution = store.show(one.id).await;
                let has_failed =
                    execution.nodes.iter().any(|node| node.status == ExecutionNodeStatus::Failed);
                assert_eq!(has_failed, execution.status == ExecutionStatus::Failed);
                if has_failed {
                    break;
                }
            }
        }
    };
    store.served(&handlers, all_over).await;
}

/// W2: cancelling a node's task fails its execution.
async fn cancelled_task_fails_the_execution(store: Harness) {
    let flow = workflow(&[("a", &[]), ("b", &["a"])]);
    let handlers = Handlers::default().when("a", [Response::Never]);
    let id = store.start(&flow, Value::Null).await;
    let task = store.show(id).await.nodes[0].task.unwrap();
    let cancelled = async {
        store.store().cancel(task, &crate::harness::operator()).await.unwrap();
        store.ended(id).await
    };
    let execution = store.served(&handlers, cancelled).await;
    assert_eq!(execution.status, ExecutionStatus::Failed);
    assert_eq!(execution.message.as_deref(), Some("node a was cancelled"));
    assert_eq!(execution.nodes[0].status, ExecutionNodeStatus::Cancelled);
}

/// W2: a node with an unresolved reference fails with a message that names it.
async fn node_with_an_unresolved_reference_fails_with_the_reason(store: Harness) {
    let flow = parsed(json!({
        "name": "w",
        "nodes": [
            { "nodeId": "a", "type": "do" },
            { "nodeId": "b", "type": "do", "dependsOn": ["a"], "config": { "id": { "$from": "/nodes/a/id" } } },
            { "nodeId": "c", "type": "do", "dependsOn": ["a"] },
        ]
    }));
    let handlers = Handlers::default();
    let execution = store.done(&handlers, &flow).await;
    assert_eq!(execution.status, ExecutionStatus::Failed);
    let why = "no value at /nodes/a/id";
    assert_eq!(execution.message.unwrap(), format!("node b cannot start: {why}"));
    assert_eq!(execution.nodes[1].message.as_deref(), Some(why));
    assert_eq!(
        (execution.nodes[1].status, execution.nodes[1].task),
        (ExecutionNodeStatus::Failed, None)
    );
    assert_eq!(handlers.count("c"), 0, "no node starts in a failed execution");
}

cases!(
    failed_node_is_retried_with_its_stored_input,
    node_with_exhausted_attempts_fails_the_execution,
    node_without_a_retry_is_tried_once,
    open_tasks_of_a_failed_execution_are_cancelled,
    execution_is_read_as_of_one_moment,
    cancelled_task_fails_the_execution,
    node_with_an_unresolved_reference_fails_with_the_reason,
);
