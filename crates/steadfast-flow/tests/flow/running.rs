//! W1: nodes run when what they wait for has completed, and see what it answered.

use std::collections::HashSet;

use serde_json::{Value, json};
use steadfast_flow::{ExecutionStatus, NodePlace};

use crate::harness::{Hands, Harness, completed, done, parsed, workflow};

/// W1: one after the other, each once.
async fn nodes_of_a_line_run_one_after_the_other(store: Harness) {
    let line = workflow(&[("c", &["b"]), ("b", &["a"]), ("a", &[])]);
    let hands = Hands::default();
    let execution = store.done(&hands, &line).await;
    assert!(completed(&execution), "{execution:?}");
    let mut by_time = execution.nodes.clone();
    by_time.sort_by_key(|node| node.ended_at);
    let order: Vec<_> = by_time.iter().map(|node| node.node_id.as_str()).collect();
    assert_eq!(order, ["a", "b", "c"]);
    for node in ["a", "b", "c"] {
        assert_eq!(
            (hands.count(node), &execution.node(node).unwrap().result),
            (1, &Some(json!(node)))
        );
    }
}

/// W1: what one node answered goes where another refers to it; a node without a config gets all.
async fn answers_flow_from_node_to_node(store: Harness) {
    let flow = parsed(json!({
        "name": "sign-up",
        "nodes": [
            { "nodeId": "create", "type": "do", "config": { "user": { "$from": "/trigger/user" } } },
            { "nodeId": "mail", "type": "do", "dependsOn": ["create"], "config": {
                "to": "${/nodes/create/id}@example.com", "by": { "$from": "/trigger" } } },
            { "nodeId": "sum", "type": "do", "dependsOn": ["create", "mail"] },
        ]
    }));
    let hands = Hands::default()
        .when("create", [done(json!({ "id": 7 }))])
        .when("mail", [done(Value::Null)]);
    let id = store.start(&flow, json!({ "user": "ada" })).await;
    assert!(completed(&store.run(&hands, id).await));
    assert_eq!(hands.asked("create"), [json!({ "user": "ada" })]);
    assert_eq!(hands.asked("mail"), [json!({ "to": "7@example.com", "by": { "user": "ada" } })]);
    let everything = json!({
        "trigger": { "user": "ada" },
        "nodes": { "create": { "id": 7 }, "mail": null }
    });
    assert_eq!(hands.asked("sum"), [everything]);
}

/// W1: what two nodes wait for is waited for by both, and who waits for two waits for both.
async fn a_diamond_closes_once(store: Harness) {
    let diamond = workflow(&[("a", &[]), ("b", &["a"]), ("c", &["a"]), ("d", &["b", "c"])]);
    let hands = Hands::default();
    let execution = store.done(&hands, &diamond).await;
    assert!(completed(&execution));
    assert_eq!(["a", "b", "c", "d"].map(|node| hands.count(node)), [1; 4]);
}

/// W1: a hundred beside each other, and one that waits for all of them.
async fn a_wide_workflow_gathers_every_answer(store: Harness) {
    let names: Vec<String> = (0..100).map(|number| format!("n{number}")).collect();
    let mut nodes: Vec<Value> = names
        .iter()
        .map(|name| json!({ "nodeId": name, "type": "do", "dependsOn": ["first"] }))
        .collect();
    nodes.push(json!({ "nodeId": "first", "type": "do" }));
    nodes.push(json!({ "nodeId": "last", "type": "do", "dependsOn": names }));
    let wide = parsed(json!({ "name": "wide", "nodes": nodes }));
    let hands = Hands::default();
    let execution = store.done(&hands, &wide).await;
    assert!(completed(&execution));
    let answers = hands.asked("last").remove(0);
    assert_eq!(answers["nodes"].as_object().unwrap().len(), 100);
    assert!(names.iter().all(|name| hands.count(name) == 1));
}

/// W1: the work of a node is a task, in the queue that the node or the workflow names.
async fn a_node_is_a_task_like_any_other(store: Harness) {
    let flow = parsed(json!({
        "name": "w", "queue": "slow",
        "nodes": [
            { "nodeId": "a", "type": "do" },
            {
                "nodeId": "b", "type": "do", "queue": "fast",
                "retry": { "enabled": true, "strategy": "immediate", "maxAttempts": 2 }
            },
        ]
    }));
    let id = store.start(&flow, Value::Null).await;
    let execution = store.show(id).await;
    let mut keys = HashSet::new();
    for (node, (queue, policy)) in execution.nodes.iter().zip([("slow", "once"), ("fast", "w.b")]) {
        assert_eq!(node.status, NodePlace::Submitted);
        let task = store.store().task(node.task.unwrap()).await.unwrap();
        assert_eq!(task.queue, queue);
        assert_eq!(task.correlation_id, Some(id.to_string()));
        assert_eq!(task.policy.unwrap().id(), Some(policy));
        keys.insert(task.idempotency_key.unwrap());
    }
    assert_eq!(keys, HashSet::from([format!("{id}/a"), format!("{id}/b")]));
    assert_eq!(execution.status, ExecutionStatus::Running);
}

/// W1: the built-in kind `http` is S2's `api-call`: what it is asked is the node's config.
async fn what_is_asked_is_the_config_without_its_retry(store: Harness) {
    let flow = parsed(json!({
        "name": "w",
        "nodes": [{
            "nodeId": "call", "type": "action", "subType": "api-call",
            "config": {
                "url": "http://127.0.0.1:9/${/trigger}", "method": "POST",
                "retry": { "enabled": true, "strategy": "immediate", "maxAttempts": 1 }
            }
        }]
    }));
    let id = store.start(&flow, json!("users")).await;
    let task = store.show(id).await.nodes[0].task.unwrap();
    let task = store.store().task(task).await.unwrap();
    assert_eq!(task.kind, "http");
    assert_eq!(task.payload, json!({ "url": "http://127.0.0.1:9/users", "method": "POST" }));
}

/// W1, W2, D19: a program is a node like any other. It reads what a node answered, is tried again
/// by its exit code, and what it wrote is what others refer to.
async fn a_command_is_a_node(store: Harness) {
    let script = r#"[ "$STEADFAST_ATTEMPT" = 2 ] || exit 75; echo "<$(cat)>""#;
    let flow = parsed(json!({
        "name": "w",
        "nodes": [
            { "nodeId": "a", "type": "do" },
            {
                "nodeId": "run", "type": "command", "dependsOn": ["a"],
                "config": {
                    "program": "sh", "args": ["-c", script], "stdin": { "$from": "/nodes/a" }
                },
                "retry": { "strategy": "immediate", "maxAttempts": 1, "retryOn": ["exit:75"] }
            },
            { "nodeId": "b", "type": "do", "dependsOn": ["run"], "config": {
                "said": { "$from": "/nodes/run/stdout" } } },
        ]
    }));
    let hands = Hands::default().when("a", [done(json!("hello"))]);
    let execution = store.done(&hands, &flow).await;
    assert!(completed(&execution), "{:?}", execution.message);
    assert_eq!(hands.asked("b"), [json!({ "said": "<hello>\n" })]);
    let task = store.store().task(execution.node("run").unwrap().task.unwrap()).await.unwrap();
    let faults: Vec<_> = task.faults.iter().map(|record| record.fault.exit_code).collect();
    assert_eq!(faults, [Some(75)]);
}

cases!(
    nodes_of_a_line_run_one_after_the_other,
    answers_flow_from_node_to_node,
    a_diamond_closes_once,
    a_wide_workflow_gathers_every_answer,
    a_node_is_a_task_like_any_other,
    what_is_asked_is_the_config_without_its_retry,
    a_command_is_a_node,
);
