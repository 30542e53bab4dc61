//! What people do to executions: call them off, have them go on.

use serde_json::{Value, json};
use steadfast_flow::{Execution, ExecutionId, ExecutionStatus, NodePlace};
use steadfast_store::{Ending, NodeEnding, NodeStatus, Resumed, Status, Step, TaskId, Verdict};

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

/// W2: a node that completes while somebody has its execution go on is not run again.
async fn a_node_that_completes_meanwhile_is_not_run_again(store: Harness) {
    let id = store.start(&workflow(&[("a", &[])]), Value::Null).await;
    store.end_without_its_tasks(id).await;
    let state = store.store().execution_states(&[id]).await.unwrap().remove(0);
    let task = state.nodes[0].task.unwrap();
    let mut step = Step::of(id, state.version);
    step.resumed.push(Resumed { number: 0, task });
    step.ending = Some(Ending::plain(ExecutionStatus::Running));
    store.settle_unheard(Verdict::Completed { result: Some("7".to_owned()) }).await;
    assert_eq!(store.store().take_steps(vec![step]).await.unwrap(), [true]);
    assert_eq!(store.store().task(task).await.unwrap().status, Status::Completed);
    let hands = Hands::default();
    assert!(completed(&store.sweeping().run(&hands, id).await));
    assert_eq!(hands.count("a"), 0);
}

/// W2: who calls off what an execution left behind comes too late if it goes on again.
async fn tasks_of_a_resumed_execution_are_not_called_off(store: Harness) {
    let flow = workflow(&[("a", &[]), ("b", &[])]);
    let (going_on, over) =
        (store.start(&flow, Value::Null).await, store.start(&flow, Value::Null).await);
    let open = |execution: &Execution| -> Vec<TaskId> {
        execution.nodes.iter().filter_map(|node| node.task).collect()
    };
    let left =
        vec![(going_on, open(&store.show(going_on).await)), (over, open(&store.show(over).await))];
    for id in [going_on, over] {
        store.end_without_its_tasks(id).await;
    }
    store.flow.resume(going_on, &somebody()).await.unwrap();
    let mut called_off = store.store().call_off(&left, &somebody()).await.unwrap();
    called_off.sort_unstable();
    assert_eq!(called_off, left[1].1);
    assert!(completed(&store.run(&Hands::default(), going_on).await));
    for task in &left[1].1 {
        assert_eq!(store.store().task(*task).await.unwrap().status, Status::Cancelled);
    }
}

/// D10: a worker that has a task of an execution that is over is told.
async fn running_tasks_are_called_off(store: Harness) {
    let flow = workflow(&[("a", &[]), ("b", &[]), ("c", &[])]);
    let hands = Hands::default().when("b", [Answer::Never]).when("c", [Answer::Never]);
    let id = store.start(&flow, Value::Null).await;
    let cancelled = async {
        while hands.count("b") + hands.count("c") < 2 {
            tokio::task::yield_now().await;
        }
        store.flow.cancel(id, &somebody()).await.unwrap();
        store.until(id, |one| one.nodes.iter().all(|node| node.ended_at.is_some())).await
    };
    let execution = store.served(&hands, cancelled).await;
    for node in &execution.nodes[1..] {
        let task = store.store().task(node.task.unwrap()).await.unwrap();
        assert_eq!((task.status, task.lease), (Status::Cancelled, None));
    }
}

/// W2: a step that says a task has completed which somebody had tried again does not hold.
async fn a_step_does_not_hold_if_its_tasks_changed(store: Harness) {
    let id = store.start(&workflow(&[("a", &[]), ("b", &["a"])]), Value::Null).await;
    store.settle_unheard(Verdict::Completed { result: Some("7".to_owned()) }).await;
    let state = store.store().execution_states(&[id]).await.unwrap().remove(0);
    let mut step = Step::of(id, state.version);
    step.ended.push(NodeEnding { number: 0, status: NodeStatus::Completed, message: None });
    let task = state.nodes[0].task.unwrap();
    store.store().requeue(task, true, &somebody()).await.unwrap();
    assert_eq!(store.store().take_steps(vec![step]).await.unwrap(), [false]);
    assert_eq!(store.show(id).await.nodes[0].status, NodePlace::Submitted);
    let again = store.store().execution_states(&[id]).await.unwrap().remove(0);
    assert_eq!(again.version, state.version, "nothing was written");
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
    a_node_that_completes_meanwhile_is_not_run_again,
    tasks_of_a_resumed_execution_are_not_called_off,
    running_tasks_are_called_off,
    a_step_does_not_hold_if_its_tasks_changed,
    an_execution_goes_on_without_its_old_tasks,
    a_node_that_could_not_begin_is_tried_again,
    what_cannot_be_done_is_told,
);
