//! W1: nodes run when their dependencies have completed, and see their results.

use std::collections::HashSet;

use serde_json::{Value, json};
use steadfast_flow::{ExecutionNodeStatus, ExecutionStatus};

use crate::harness::{Handlers, Harness, completed, done, parsed, workflow};

/// W1: in sequence, each once.
async fn sequential_nodes_run_in_order(store: Harness) {
    let sequence = workflow(&[("c", &["b"]), ("b", &["a"]), ("a", &[])]);
    let handlers = Handlers::default();
    let execution = store.done(&handlers, &sequence).await;
    assert!(completed(&execution), "{execution:?}");
    let mut by_time = execution.nodes.clone();
    by_time.sort_by_key(|node| node.ended_at);
    let order: Vec<_> = by_time.iter().map(|node| node.node_id.as_str()).collect();
    assert_eq!(order, ["a", "b", "c"]);
    for node in ["a", "b", "c"] {
        assert_eq!(
            (handlers.count(node), &execution.node(node).unwrap().result),
            (1, &Some(json!(node)))
        );
    }
}

/// W1: a reference is replaced by a node's result; a node without a config gets all values.
async fn results_are_passed_to_later_nodes(store: Harness) {
    let flow = parsed(json!({
        "name": "sign-up",
        "nodes": [
            { "nodeId": "create", "type": "do", "config": { "user": { "$from": "/trigger/user" } } },
            { "nodeId": "mail", "type": "do", "dependsOn": ["create"], "config": {
                "to": "${/nodes/create/id}@example.com", "by": { "$from": "/trigger" } } },
            { "nodeId": "sum", "type": "do", "dependsOn": ["create", "mail"] },
        ]
    }));
    let handlers = Handlers::default()
        .when("create", [done(json!({ "id": 7 }))])
        .when("mail", [done(Value::Null)]);
    let id = store.start(&flow, json!({ "user": "ada" })).await;
    assert!(completed(&store.run(&handlers, id).await));
    assert_eq!(handlers.payloads("create"), [json!({ "user": "ada" })]);
    assert_eq!(
        handlers.payloads("mail"),
        [json!({ "to": "7@example.com", "by": { "user": "ada" } })]
    );
    let everything = json!({
        "trigger": { "user": "ada" },
        "nodes": { "create": { "id": 7 }, "mail": null }
    });
    assert_eq!(handlers.payloads("sum"), [everything]);
}

/// W1: both branches wait for the first node, and the last node waits for both branches.
async fn diamond_runs_each_node_once(store: Harness) {
    let diamond = workflow(&[("a", &[]), ("b", &["a"]), ("c", &["a"]), ("d", &["b", "c"])]);
    let handlers = Handlers::default();
    let execution = store.done(&handlers, &diamond).await;
    assert!(completed(&execution));
    assert_eq!(["a", "b", "c", "d"].map(|node| handlers.count(node)), [1; 4]);
}

/// W1: a hundred nodes in parallel, and one that depends on all of them.
async fn wide_workflow_collects_every_result(store: Harness) {
    let names: Vec<String> = (0..100).map(|number| format!("n{number}")).collect();
    let mut nodes: Vec<Value> = names
        .iter()
        .map(|name| json!({ "nodeId": name, "type": "do", "dependsOn": ["first"] }))
        .collect();
    nodes.push(json!({ "nodeId": "first", "type": "do" }));
    nodes.push(json!({ "nodeId": "last", "type": "do", "dependsOn": names }));
    let wide = parsed(json!({ "name": "wide", "nodes": nodes }));
    let handlers = Handlers::default();
    let execution = store.done(&handlers, &wide).await;
    assert!(completed(&execution));
    let answers = handlers.payloads("last").remove(0);
    assert_eq!(answers["nodes"].as_object().unwrap().len(), 100);
    assert!(names.iter().all(|name| handlers.count(name) == 1));
}

/// W1: a node is a task in the queue of the node or the workflow.
async fn node_is_a_task_in_its_queue(store: Harness) {
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
    for (node, (queue, policy)) in
        execution.nodes.iter().zip([("slow", "no-retry"), ("fast", "w.b")])
    {
        assert_eq!(node.status, ExecutionNodeStatus::Submitted);
        let task = store.store().task(node.task.unwrap()).await.unwrap();
        assert_eq!(task.queue, queue);
        assert_eq!(task.correlation_id, Some(id.to_string()));
        assert_eq!(task.policy.unwrap().id(), Some(policy));
        keys.insert(task.idempotency_key.unwrap());
    }
    assert_eq!(keys, HashSet::from([format!("{id}/a"), format!("{id}/b")]));
    assert_eq!(execution.status, ExecutionStatus::Running);
}

/// W1: the built-in kind `http` is S2's `api-call`: its payload is the node's config.
async fn payload_is_the_config_without_its_retry(store: Harness) {
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

/// W1, W2, D19: a command is a node. It reads another node's result, is retried by its
/// exit code, and its output can be referred to.
async fn command_node_is_retried_and_passes_its_output(store: Harness) {
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
    let handlers = Handlers::default().when("a", [done(json!("hello"))]);
    let execution = store.done(&handlers, &flow).await;
    assert!(completed(&execution), "{:?}", execution.message);
    assert_eq!(handlers.payloads("b"), [json!({ "said": "<hello>\n" })]);
    let task = store.store().task(execution.node("run").unwrap().task.unwrap()).await.unwrap();
    let faults: Vec<_> = task.faults.iter().map(|record| record.fault.exit_code).collect();
    assert_eq!(faults, [Some(75)]);
}

cases!(
    sequential_nodes_run_in_order,
    results_are_passed_to_later_nodes,
    diamond_runs_each_node_once,
    wide_workflow_collects_every_result,
    node_is_a_task_in_its_queue,
    payload_is_the_config_without_its_retry,
    command_node_is_retried_and_passes_its_output,
);
