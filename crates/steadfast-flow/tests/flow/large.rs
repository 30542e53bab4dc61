//! K4: large payloads and results are read and written in bounded parts.

use serde_json::{Value, json};
use steadfast_flow::{ExecutionStatus, Start, Workflow};
use steadfast_store::PageRequest;

use crate::harness::{Handlers, Harness, completed, done, parsed};

/// Almost the maximum result of a node.
fn much() -> Value {
    json!("x".repeat(1_000_000))
}

/// This many nodes in parallel, and the nodes after them.
fn beside(many: usize, config: Option<Value>, then: &[Value]) -> Workflow {
    let node = |number: usize| {
        let mut node = json!({ "nodeId": format!("n{number}"), "type": "do", "dependsOn": [] });
        if let Some(config) = &config {
            node["config"] = config.clone();
        }
        node
    };
    let nodes: Vec<_> = (0..many).map(node).chain(then.iter().cloned()).collect();
    parsed(json!({ "name": "large", "nodes": nodes }))
}

/// K4: a start that exceeds the write limit is rejected.
async fn start_beyond_the_write_limit_is_rejected(store: Harness) {
    let flow = beside(40, None, &[]);
    let message = store.flow.start(Start::of(&flow, &much())).await.unwrap_err().to_string();
    assert!(message.starts_with("trigger: the payloads of its first nodes are 4000"), "{message}");
    assert!(message.contains("the maximum is 33554432"), "{message}");
    store.flow.start(Start::of(&beside(30, None, &[]), &much())).await.unwrap();
}

/// W1: nodes beyond the write limit start in parts, each once.
async fn nodes_beyond_the_write_limit_start_in_parts(store: Harness) {
    let mut nodes = vec![json!({ "nodeId": "a", "type": "do" })];
    nodes.extend((0..40).map(|number| {
        let (id, before) = (format!("b{number}"), ["a"]);
        json!({ "nodeId": id, "type": "do", "dependsOn": before, "config": { "a": "${/nodes/a}" } })
    }));
    let flow = parsed(json!({ "name": "large", "nodes": nodes }));
    let handlers = Handlers::default().when("a", [done(much())]);
    let execution = store.done(&handlers, &flow).await;
    assert!(completed(&execution), "{:?}", execution.message);
    assert!((0..40).all(|number| handlers.count(&format!("b{number}")) == 1));
}

/// K4: a node that refers to more than the read limit fails with that message.
async fn node_beyond_the_read_limit_fails(store: Harness) {
    let before: Vec<_> = (0..70).map(|number| format!("n{number}")).collect();
    let all = json!({ "nodeId": "all", "type": "do", "dependsOn": before });
    let flow = beside(70, Some(json!({})), &[all]);
    let handlers = before
        .iter()
        .fold(Handlers::default(), |handlers, node| handlers.when(node, [done(much())]));
    let execution = store.done(&handlers, &flow).await;
    assert_eq!(execution.status, ExecutionStatus::Failed);
    let message = execution.message.unwrap();
    let why = "it refers to more than 67108864 bytes of JSON";
    assert_eq!(message, format!("node all cannot start: {why}"));
}

/// K4: the results in an execution's view are bounded; the others are in their tasks.
async fn results_beyond_the_view_limit_are_omitted(store: Harness) {
    let flow = beside(12, Some(json!({})), &[]);
    let names = (0..12).map(|number| format!("n{number}"));
    let handlers =
        names.fold(Handlers::default(), |handlers, node| handlers.when(&node, [done(much())]));
    let execution = store.done(&handlers, &flow).await;
    let (shown, omitted) = execution.nodes.split_at(8);
    assert!(shown.iter().all(|node| node.result == Some(much()) && node.omitted_bytes.is_none()));
    for node in omitted {
        assert_eq!((&node.result, node.omitted_bytes), (&None, Some(1_000_002)));
        let task = store.store().task(node.task.unwrap()).await.unwrap();
        assert_eq!(task.result, Some(much()));
    }
}

/// K4: a page of long workflows ends early, and the list is complete.
async fn page_of_long_workflows_ends_early(store: Harness) {
    let mut numbers = Vec::new();
    for number in 0..12 {
        let flow = beside(1, Some(json!({ "text": much(), "number": number })), &[]);
        numbers.insert(0, store.flow.save(&flow).await.unwrap());
    }
    let mut page = PageRequest { limit: 100, after: None };
    let mut listed = Vec::new();
    loop {
        let part = store.store().workflows(&page).await.unwrap();
        assert!(part.items.len() <= 9, "{}", part.items.len());
        listed.extend(part.items.iter().map(|one| one.number));
        match part.next {
            Some(next) => page.after = Some(next),
            None => break,
        }
    }
    assert_eq!(listed, numbers);
}

cases!(
    results_beyond_the_view_limit_are_omitted,
    page_of_long_workflows_ends_early,
    start_beyond_the_write_limit_is_rejected,
    nodes_beyond_the_write_limit_start_in_parts,
    node_beyond_the_read_limit_fails,
);
