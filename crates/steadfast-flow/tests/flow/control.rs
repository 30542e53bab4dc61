//! Operator actions on executions: cancel and resume.

use serde_json::{Value, json};
use steadfast_flow::{Execution, ExecutionId, ExecutionNodeStatus, ExecutionStatus};
use steadfast_store::{Ending, NodeEnding, NodeStatus, Resumed, Status, Step, TaskId, Verdict};

use crate::harness::{
    Handlers, Harness, Response, completed, done, gone, operator, parsed, workflow,
};

/// D10: open tasks are cancelled, and no other node starts.
async fn cancelled_execution_cancels_its_tasks(store: Harness) {
    let flow = workflow(&[("slow", &[]), ("late", &["slow"])]);
    let handlers = Handlers::default().when("slow", [Response::Never]);
    let id = store.start(&flow, Value::Null).await;
    let cancelled = async {
        while handlers.count("slow") == 0 {
            tokio::task::yield_now().await;
        }
        store.flow.cancel(id, &operator()).await.unwrap();
        store
            .until(id, |execution| execution.nodes[0].status == ExecutionNodeStatus::Cancelled)
            .await
    };
    let execution = store.served(&handlers, cancelled).await;
    assert_eq!(execution.status, ExecutionStatus::Cancelled);
    let task = store.store().task(execution.nodes[0].task.unwrap()).await.unwrap();
    assert_eq!(task.status, Status::Cancelled);
    let rejected = store.flow.cancel(id, &operator()).await.unwrap_err().to_string();
    assert_eq!(rejected, format!("cannot cancel execution {id}: it is already cancelled"));
}

/// W2: an execution resumes at the failed node; completed nodes do not run again.
async fn failed_execution_resumes_at_the_failed_node(store: Harness) {
    let flow = workflow(&[("a", &[]), ("b", &["a"]), ("c", &["b"])]);
    let handlers = Handlers::default().when("b", [gone(), gone(), done(json!(1))]);
    let id = store.start(&flow, json!("t")).await;
    for _ in 0..2 {
        let failed = store.run(&handlers, id).await;
        assert_eq!(failed.status, ExecutionStatus::Failed);
        store.flow.resume(id, &operator()).await.unwrap();
        let running = store.show(id).await;
        assert_eq!((running.status, running.message), (ExecutionStatus::Running, None));
    }
    assert!(completed(&store.run(&handlers, id).await));
    assert_eq!(["a", "b", "c"].map(|node| handlers.count(node)), [1, 3, 1]);
    let input = json!({ "trigger": "t", "nodes": { "a": "a" } });
    assert_eq!(handlers.payloads("b"), vec![input; 3]);
}

/// W2: the same for a cancelled one.
async fn cancelled_execution_resumes(store: Harness) {
    let flow = workflow(&[("a", &[]), ("b", &["a"])]);
    let id = store.start(&flow, Value::Null).await;
    store.flow.cancel(id, &operator()).await.unwrap();
    store.flow.resume(id, &operator()).await.unwrap();
    let handlers = Handlers::default();
    assert!(completed(&store.run(&handlers, id).await));
    assert_eq!((handlers.count("a"), handlers.count("b")), (1, 1));
}

/// W2: a node that completes while its execution is resumed does not run again.
async fn node_completed_during_resume_does_not_run_again(store: Harness) {
    let id = store.start(&workflow(&[("a", &[])]), Value::Null).await;
    store.end_without_cancelling_tasks(id).await;
    let state = store.store().execution_states(&[id]).await.unwrap().remove(0);
    let task = state.nodes[0].task.unwrap();
    let mut step = Step::of(id, state.version);
    step.resumed.push(Resumed { number: 0, task });
    step.ending = Some(Ending::plain(ExecutionStatus::Running));
    store.settle_unpublished(Verdict::Completed { result: Some("7".to_owned()) }).await;
    assert_eq!(store.store().apply_steps(vec![step]).await.unwrap(), [true]);
    assert_eq!(store.store().task(task).await.unwrap().status, Status::Completed);
    let handlers = Handlers::default();
    assert!(completed(&store.sweeping().run(&handlers, id).await));
    assert_eq!(handlers.count("a"), 0);
}

/// W2: a late cancellation of open tasks does not affect a resumed execution.
async fn tasks_of_a_resumed_execution_are_not_cancelled(store: Harness) {
    let flow = workflow(&[("a", &[]), ("b", &[])]);
    let (resumed, over) =
        (store.start(&flow, Value::Null).await, store.start(&flow, Value::Null).await);
    let open = |execution: &Execution| -> Vec<TaskId> {
        execution.nodes.iter().filter_map(|node| node.task).collect()
    };
    let left =
        vec![(resumed, open(&store.show(resumed).await)), (over, open(&store.show(over).await))];
    for id in [resumed, over] {
        store.end_without_cancelling_tasks(id).await;
    }
    store.flow.resume(resumed, &operator()).await.unwrap();
    let mut cancelled = store.store().cancel_leftover_tasks(&left, &operator()).await.unwrap();
    cancelled.sort_unstable();
    assert_eq!(cancelled, left[1].1);
    assert!(completed(&store.run(&Handlers::default(), resumed).await));
    for task in &left[1].1 {
        assert_eq!(store.store().task(*task).await.unwrap().status, Status::Cancelled);
    }
}

/// D10: running tasks of a cancelled execution are cancelled.
async fn running_tasks_of_a_cancelled_execution_are_cancelled(store: Harness) {
    let flow = workflow(&[("a", &[]), ("b", &[]), ("c", &[])]);
    let handlers = Handlers::default().when("b", [Response::Never]).when("c", [Response::Never]);
    let id = store.start(&flow, Value::Null).await;
    let cancelled = async {
        while handlers.count("b") + handlers.count("c") < 2 {
            tokio::task::yield_now().await;
        }
        store.flow.cancel(id, &operator()).await.unwrap();
        store.until(id, |one| one.nodes.iter().all(|node| node.ended_at.is_some())).await
    };
    let execution = store.served(&handlers, cancelled).await;
    for node in &execution.nodes[1..] {
        let task = store.store().task(node.task.unwrap()).await.unwrap();
        assert_eq!((task.status, task.lease), (Status::Cancelled, None));
    }
}

/// W2: a step that records a completion of a requeued task is rejected.
async fn step_is_rejected_if_its_tasks_changed(store: Harness) {
    let id = store.start(&workflow(&[("a", &[]), ("b", &["a"])]), Value::Null).await;
    store.settle_unpublished(Verdict::Completed { result: Some("7".to_owned()) }).await;
    let state = store.store().execution_states(&[id]).await.unwrap().remove(0);
    let mut step = Step::of(id, state.version);
    step.ended.push(NodeEnding { number: 0, status: NodeStatus::Completed, message: None });
    let task = state.nodes[0].task.unwrap();
    store.store().requeue(task, true, &operator()).await.unwrap();
    assert_eq!(store.store().apply_steps(vec![step]).await.unwrap(), [false]);
    assert_eq!(store.show(id).await.nodes[0].status, ExecutionNodeStatus::Submitted);
    let again = store.store().execution_states(&[id]).await.unwrap().remove(0);
    assert_eq!(again.version, state.version, "nothing was written");
}

/// W2: a node whose task was pruned gets a new task.
async fn execution_resumes_without_its_pruned_tasks(store: Harness) {
    let flow = workflow(&[("a", &[]), ("b", &["a"])]);
    let handlers = Handlers::default().when("b", [gone(), done(json!(1))]);
    let id = store.start(&flow, Value::Null).await;
    store.run(&handlers, id).await;
    store.prune_tasks().await;
    store.flow.resume(id, &operator()).await.unwrap();
    assert!(completed(&store.run(&handlers, id).await));
    assert_eq!((handlers.count("a"), handlers.count("b")), (1, 2));
}

/// W2: a node that could not start is tried again on resume.
async fn node_that_could_not_start_is_tried_again_on_resume(store: Harness) {
    let flow = parsed(json!({
        "name": "w",
        "nodes": [
            { "nodeId": "a", "type": "do" },
            { "nodeId": "b", "type": "do", "dependsOn": ["a"], "config": { "id": { "$from": "/nodes/a/id" } } },
        ]
    }));
    let handlers = Handlers::default();
    let id = store.start(&flow, Value::Null).await;
    store.run(&handlers, id).await;
    store.flow.resume(id, &operator()).await.unwrap();
    let again = store.show(id).await;
    assert_eq!(again.status, ExecutionStatus::Failed, "still no value at /nodes/a/id");
    assert_eq!(handlers.count("a"), 1);
}

/// K4: an unknown or running execution is rejected.
async fn action_on_a_missing_or_running_execution_is_rejected(store: Harness) {
    let unknown = ExecutionId::fresh();
    let message = store.flow.cancel(unknown, &operator()).await.unwrap_err().to_string();
    assert_eq!(message, format!("no execution {unknown}"));
    assert!(store.flow.execution(unknown).await.is_err());
    assert!(store.flow.chain(unknown).await.is_err());
    let id = store.start(&workflow(&[("a", &[])]), Value::Null).await;
    let message = store.flow.resume(id, &operator()).await.unwrap_err().to_string();
    assert_eq!(message, format!("cannot resume execution {id}: it is still running"));
    assert!(store.flow.retry(id, &operator()).await.is_err());
}

cases!(
    cancelled_execution_cancels_its_tasks,
    failed_execution_resumes_at_the_failed_node,
    cancelled_execution_resumes,
    node_completed_during_resume_does_not_run_again,
    tasks_of_a_resumed_execution_are_not_cancelled,
    running_tasks_of_a_cancelled_execution_are_cancelled,
    step_is_rejected_if_its_tasks_changed,
    execution_resumes_without_its_pruned_tasks,
    node_that_could_not_start_is_tried_again_on_resume,
    action_on_a_missing_or_running_execution_is_rejected,
);
