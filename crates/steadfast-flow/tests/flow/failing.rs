//! W2: a failed node is retried with its saved input; one that fails for good fails the execution.

use std::sync::Arc;

use serde_json::{Value, json};
use steadfast::Fault;
use steadfast_flow::{ExecutionStatus, NodePlace, Start};
use steadfast_store::Status;

use crate::harness::{
    Answer, Hands, Harness, completed, done, gone, parsed, unavailable, workflow,
};

fn retried(node: &str, before: &[&str]) -> Value {
    json!({
        "nodeId": node, "type": "do", "dependsOn": before,
        "retry": { "enabled": true, "strategy": "immediate", "maxAttempts": 2 }
    })
}

/// W2: the input is the same each time, and what was finished is not run again.
async fn a_failed_node_is_retried_with_its_saved_input(store: Harness) {
    let flow = parsed(json!({ "name": "w", "nodes": [retried("a", &[]), retried("b", &["a"])] }));
    let hands = Hands::default()
        .when("a", [done(json!(1)), done(json!(2))])
        .when("b", [unavailable(), unavailable(), done(json!("at last"))]);
    let id = store.start(&flow, json!("t")).await;
    let execution = store.run(&hands, id).await;
    assert!(completed(&execution), "{execution:?}");
    assert_eq!(hands.count("a"), 1);
    let input = json!({ "trigger": "t", "nodes": { "a": 1 } });
    assert_eq!(hands.asked("b"), [input.clone(), input.clone(), input]);
}

/// W2: when the attempts are used up, the execution fails, and says by which node and why.
async fn a_node_that_is_given_up_fails_the_execution(store: Harness) {
    let flow = parsed(json!({
        "name": "w",
        "nodes": [retried("a", &[]), retried("b", &["a"]), retried("c", &["b"])]
    }));
    let hands = Hands::default().when("b", [unavailable()]);
    let execution = store.done(&hands, &flow).await;
    assert_eq!(execution.status, ExecutionStatus::Failed);
    assert_eq!(execution.failed_node.as_deref(), Some("b"));
    let message = execution.message.clone().unwrap();
    assert!(message.starts_with("node b failed (attempts_exhausted)"), "{message}");
    assert!(message.contains("overloaded"), "{message}");
    assert_eq!(["a", "b", "c"].map(|node| hands.count(node)), [1, 3, 0]);
    let places = execution.nodes.iter().map(|node| node.status).collect::<Vec<_>>();
    assert_eq!(places, [NodePlace::Completed, NodePlace::Failed, NodePlace::Waiting]);
    assert!(execution.node("b").unwrap().message.as_ref().unwrap().contains("overloaded"));
}

/// S2: a node that enables no retry is tried once, whatever it fails with.
async fn a_node_without_retry_is_tried_once(store: Harness) {
    let asked_to_wait =
        Fault::http(429).with_hint(steadfast::Hint::After(std::time::Duration::ZERO));
    for fault in [Fault::http(503), Fault::timed_out(), asked_to_wait] {
        let disabled = json!({ "enabled": false, "strategy": "immediate", "maxAttempts": 5 });
        for retry in [Value::Null, disabled] {
            let mut node = json!({ "nodeId": "a", "type": "do" });
            if !retry.is_null() {
                node["retry"] = retry;
            }
            let flow = parsed(json!({ "name": "w", "nodes": [node] }));
            let hands = Hands::default().when("a", [Answer::Failed(fault.clone())]);
            let execution = store.done(&hands, &flow).await;
            assert_eq!(execution.status, ExecutionStatus::Failed);
            assert_eq!(hands.count("a"), 1, "{fault:?}");
        }
    }
}

/// W2: what is under way beside the node that failed is called off.
async fn what_is_under_way_is_called_off(store: Harness) {
    let flow = workflow(&[("bad", &[]), ("slow", &[]), ("late", &["slow"])]);
    let hands = Hands::default().when("bad", [gone()]).when("slow", [Answer::Never]);
    let id = store.start(&flow, Value::Null).await;
    let over =
        store.until(id, |execution| execution.node("slow").unwrap().status == NodePlace::Cancelled);
    let execution = store.served(&hands, over).await;
    assert_eq!(execution.status, ExecutionStatus::Failed);
    assert_eq!(execution.failed_node.as_deref(), Some("bad"));
    let task = execution.node("slow").unwrap().task.unwrap();
    assert_eq!(store.store().task(task).await.unwrap().status, Status::Cancelled);
    assert_eq!(hands.count("late"), 0);
}

/// H1: what is shown of an execution is as it was at one moment, and no step is shown by halves.
async fn no_step_is_shown_by_halves(store: Harness) {
    let flow = Arc::new(workflow(&[("bad", &[]), ("slow", &[])]));
    let hands = Hands::default().when("bad", [gone()]).when("slow", [Answer::Never]);
    let starts = (0..40).map(|_| Start::of(&flow, &Value::Null)).collect();
    let started = store.flow.start_all(starts).await.unwrap();
    let all_over = async {
        for one in &started {
            loop {
                let execution = store.show(one.id).await;
                let has_failed =
                    execution.nodes.iter().any(|node| node.status == NodePlace::Failed);
                assert_eq!(has_failed, execution.status == ExecutionStatus::Failed);
                if has_failed {
                    break;
                }
            }
        }
    };
    store.served(&hands, all_over).await;
}

/// W2: who calls a node's task off fails its execution.
async fn a_task_that_is_called_off_fails_the_execution(store: Harness) {
    let flow = workflow(&[("a", &[]), ("b", &["a"])]);
    let hands = Hands::default().when("a", [Answer::Never]);
    let id = store.start(&flow, Value::Null).await;
    let task = store.show(id).await.nodes[0].task.unwrap();
    let cancelled = async {
        store.store().cancel(task, &crate::harness::somebody()).await.unwrap();
        store.ended(id).await
    };
    let execution = store.served(&hands, cancelled).await;
    assert_eq!(execution.status, ExecutionStatus::Failed);
    assert_eq!(execution.message.as_deref(), Some("node a was called off"));
    assert_eq!(execution.nodes[0].status, NodePlace::Cancelled);
}

/// W2: a node whose references lead to nothing fails with words that say which.
async fn a_node_that_cannot_be_asked_fails_with_the_reason(store: Harness) {
    let flow = parsed(json!({
        "name": "w",
        "nodes": [
            { "nodeId": "a", "type": "do" },
            { "nodeId": "b", "type": "do", "dependsOn": ["a"], "config": { "id": { "$from": "/nodes/a/id" } } },
            { "nodeId": "c", "type": "do", "dependsOn": ["a"] },
        ]
    }));
    let hands = Hands::default();
    let execution = store.done(&hands, &flow).await;
    assert_eq!(execution.status, ExecutionStatus::Failed);
    let why = "there is nothing at /nodes/a/id";
    assert_eq!(execution.message.unwrap(), format!("node b cannot begin: {why}"));
    assert_eq!(execution.nodes[1].message.as_deref(), Some(why));
    assert_eq!((execution.nodes[1].status, execution.nodes[1].task), (NodePlace::Failed, None));
    assert_eq!(hands.count("c"), 0, "nothing begins in an execution that has failed");
}

cases!(
    a_failed_node_is_retried_with_its_saved_input,
    a_node_that_is_given_up_fails_the_execution,
    a_node_without_retry_is_tried_once,
    what_is_under_way_is_called_off,
    no_step_is_shown_by_halves,
    a_task_that_is_called_off_fails_the_execution,
    a_node_that_cannot_be_asked_fails_with_the_reason,
);
