//! What people do to executions: call them off, have them go on.

use serde_json::{Value, json};
use steadfast_flow::{ExecutionId, ExecutionStatus, NodePlace};
use steadfast_store::Status;

use crate::harness::{Answer, Hands, Harness, completed, done, gone, parsed, somebody, workflow};

/// D10: what is under way is called off, and nothing more begins.
async fn an_execution_is_called_off(store: Harness) {
    let flow = workflow(&[("slow", &[]), ("late", &["slow"])]);
    let hands = Hands::default().when("slow", [Answer::Never]);
    let id = store.start(&flow, Value::Null).await;
    let cancelled = async {
        while hands.count("slow") == 0 {
            tokio::task::yield_now().await;
        }
        store.flow.cancel(id, &somebody()).await.unwrap();
        store.until(id, |execution| execution.nodes[0].status == NodePlace::Cancelled).await
    };
    let execution = store.served(&hands, cancelled).await;
    assert_eq!(execution.status, ExecutionStatus::Cancelled);
    let task = store.store().task(execution.nodes[0].task.unwrap()).await.unwrap();
    assert_eq!(task.status, Status::Cancelled);
    let refused = store.flow.cancel(id, &somebody()).await.unwrap_err().to_string();
    assert_eq!(refused, format!("execution {id} is cancelled: it cannot be cancelled"));
}

/// W2: an execution goes on from the node that failed; those that completed are not run again.
async fn a_failed_execution_goes_on_where_it_failed(store: Harness) {
    let flow = workflow(&[("a", &[]), ("b", &["a"]), ("c", &["b"])]);
    let hands = Hands::default().when("b", [gone(), gone(), done(json!(1))]);
    let id = store.start(&flow, json!("t")).await;
    for _ in 0..2 {
        let failed = store.run(&hands, id).await;
        assert_eq!(failed.status, ExecutionStatus::Failed);
        store.flow.resume(id, &somebody()).await.unwrap();
        let running = store.show(id).await;
        assert_eq!((running.status, running.message), (ExecutionStatus::Running, None));
    }
    assert!(completed(&store.run(&hands, id).await));
    assert_eq!(["a", "b", "c"].map(|node| hands.count(node)), [1, 3, 1]);
    let input = json!({ "trigger": "t", "nodes": { "a": "a" } });
    assert_eq!(hands.asked("b"), vec![input; 3]);
}

/// W2: the same for one that was called off.
async fn a_cancelled_execution_goes_on(store: Harness) {
    let flow = workflow(&[("a", &[]), ("b", &["a"])]);
    let id = store.start(&flow, Value::Null).await;
    store.flow.cancel(id, &somebody()).await.unwrap();
    store.flow.resume(id, &somebody()).await.unwrap();
    let hands = Hands::default();
    assert!(completed(&store.run(&hands, id).await));
    assert_eq!((hands.count("a"), hands.count("b")), (1, 1));
}

/// W2: a node whose task was pruned meanwhile becomes a task anew.
async fn an_execution_goes_on_without_its_old_tasks(store: Harness) {
    let flow = workflow(&[("a", &[]), ("b", &["a"])]);
    let hands = Hands::default().when("b", [gone(), done(json!(1))]);
    let id = store.start(&flow, Value::Null).await;
    store.run(&hands, id).await;
    store.forget_tasks().await;
    store.flow.resume(id, &somebody()).await.unwrap();
    assert!(completed(&store.run(&hands, id).await));
    assert_eq!((hands.count("a"), hands.count("b")), (1, 2));
}

/// W2: a node that could not begin is tried again as well.
async fn a_node_that_could_not_begin_is_tried_again(store: Harness) {
    let flow = parsed(json!({
        "name": "w",
        "nodes": [
            { "nodeId": "a", "type": "do" },
            { "nodeId": "b", "type": "do", "dependsOn": ["a"], "config": { "id": { "$from": "/nodes/a/id" } } },
        ]
    }));
    let hands = Hands::default();
    let id = store.start(&flow, Value::Null).await;
    store.run(&hands, id).await;
    store.flow.resume(id, &somebody()).await.unwrap();
    let again = store.show(id).await;
    assert_eq!(again.status, ExecutionStatus::Failed, "there is still nothing at /nodes/a/id");
    assert_eq!(hands.count("a"), 1);
}

/// K4: what is not there, or is running, is told.
async fn what_cannot_be_done_is_told(store: Harness) {
    let unknown = ExecutionId::fresh();
    let told = store.flow.cancel(unknown, &somebody()).await.unwrap_err().to_string();
    assert_eq!(told, format!("there is no execution {unknown}; it may have been pruned"));
    assert!(store.flow.execution(unknown).await.is_err());
    assert!(store.flow.chain(unknown).await.is_err());
    let id = store.start(&workflow(&[("a", &[])]), Value::Null).await;
    let told = store.flow.resume(id, &somebody()).await.unwrap_err().to_string();
    assert_eq!(told, format!("execution {id} is running: it cannot be resumed"));
    assert!(store.flow.retry(id, &somebody()).await.is_err());
}

cases!(
    an_execution_is_called_off,
    a_failed_execution_goes_on_where_it_failed,
    a_cancelled_execution_goes_on,
    an_execution_goes_on_without_its_old_tasks,
    a_node_that_could_not_begin_is_tried_again,
    what_cannot_be_done_is_told,
);
