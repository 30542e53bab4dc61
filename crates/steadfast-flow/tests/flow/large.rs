//! K4: however much nodes are asked and answer, it is read and written in bounded parts.

use serde_json::{Value, json};
use steadfast_flow::{ExecutionStatus, Start, Workflow};
use steadfast_store::PageRequest;

use crate::harness::{Hands, Harness, completed, done, parsed};

/// Nearly as much as a node may answer.
fn much() -> Value {
    json!("x".repeat(1_000_000))
}

/// So many nodes beside each other, and then what follows them.
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

/// K4: a start that would write more than is written at once is refused.
async fn a_start_of_too_much_is_refused(store: Harness) {
    let flow = beside(40, None, &[]);
    let told = store.flow.start(Start::of(&flow, &much())).await.unwrap_err().to_string();
    assert!(told.starts_with("trigger: its first nodes would be asked 4000"), "{told}");
    assert!(told.contains("at most 33554432 are written at once"), "{told}");
    store.flow.start(Start::of(&beside(30, None, &[]), &much())).await.unwrap();
}

/// W1: more nodes than are written at once begin in parts, each once.
async fn many_long_nodes_begin_in_parts(store: Harness) {
    let mut nodes = vec![json!({ "nodeId": "a", "type": "do" })];
    nodes.extend((0..40).map(|number| {
        let (id, before) = (format!("b{number}"), ["a"]);
        json!({ "nodeId": id, "type": "do", "dependsOn": before, "config": { "a": "${/nodes/a}" } })
    }));
    let flow = parsed(json!({ "name": "large", "nodes": nodes }));
    let hands = Hands::default().when("a", [done(much())]);
    let execution = store.done(&hands, &flow).await;
    assert!(completed(&execution), "{:?}", execution.message);
    assert!((0..40).all(|number| hands.count(&format!("b{number}")) == 1));
}

/// K4: a node that refers to more than can be read at once fails, and says so.
async fn a_node_that_refers_to_too_much_fails(store: Harness) {
    let before: Vec<_> = (0..70).map(|number| format!("n{number}")).collect();
    let all = json!({ "nodeId": "all", "type": "do", "dependsOn": before });
    let flow = beside(70, Some(json!({})), &[all]);
    let hands =
        before.iter().fold(Hands::default(), |hands, node| hands.when(node, [done(much())]));
    let execution = store.done(&hands, &flow).await;
    assert_eq!(execution.status, ExecutionStatus::Failed);
    let told = execution.message.unwrap();
    let why = "what it refers to is more than 67108864 bytes of JSON";
    assert_eq!(told, format!("node all cannot begin: {why}"));
}

/// K4: an execution is shown with so many bytes of answers; where the others are is told.
async fn long_answers_are_left_out_of_what_is_shown(store: Harness) {
    let flow = beside(12, Some(json!({})), &[]);
    let names = (0..12).map(|number| format!("n{number}"));
    let hands = names.fold(Hands::default(), |hands, node| hands.when(&node, [done(much())]));
    let execution = store.done(&hands, &flow).await;
    let (shown, left_out) = execution.nodes.split_at(8);
    assert!(shown.iter().all(|node| node.result == Some(much()) && node.left_out.is_none()));
    for node in left_out {
        assert_eq!((&node.result, node.left_out), (&None, Some(1_000_002)));
        let task = store.store().task(node.task.unwrap()).await.unwrap();
        assert_eq!(task.result, Some(much()));
    }
}

/// K4: a page of workflows ends early if they are long, and none is left out of the list.
async fn a_page_of_long_workflows_ends_early(store: Harness) {
    let mut numbers = Vec::new();
    for number in 0..12 {
        let flow = beside(1, Some(json!({ "text": much(), "number": number })), &[]);
        numbers.insert(0, store.flow.keep(&flow).await.unwrap());
    }
    let mut page = PageRequest { limit: 100, after: None };
    let mut listed = Vec::new();
    loop {
        let part = store.store().workflows(&page).await.unwrap();
        assert!(part.items.len() <= 9, "{}", part.items.len());
        listed.extend(part.items.iter().map(|kept| kept.number));
        match part.next {
            Some(next) => page.after = Some(next),
            None => break,
        }
    }
    assert_eq!(listed, numbers);
}

cases!(
    long_answers_are_left_out_of_what_is_shown,
    a_page_of_long_workflows_ends_early,
    a_start_of_too_much_is_refused,
    many_long_nodes_begin_in_parts,
    a_node_that_refers_to_too_much_fails,
);
