//! Starting executions: once for one key, and nothing that makes no sense.

use serde_json::{Value, json};
use steadfast_flow::{ExecutionFilter, Start};
use steadfast_store::PageRequest;

use crate::harness::{Hands, Harness, completed, parsed, workflow};

/// D9: who starts twice under one key has started once, and other work is refused.
async fn a_key_starts_one_execution(store: Harness) {
    let flow = workflow(&[("a", &[])]);
    let start = |trigger: Value| Start::of(&flow, &trigger).key("order-7");
    let first = store.flow.start(start(json!(1))).await.unwrap();
    let again = store.flow.start(start(json!(1))).await.unwrap();
    assert_eq!((first.existed, again.existed, again.id), (false, true, first.id));
    let refused = store.flow.start(start(json!(2))).await.unwrap_err().to_string();
    assert!(refused.starts_with("key `order-7` belongs to execution"), "{refused}");
    let hands = Hands::default();
    assert!(completed(&store.run(&hands, first.id).await));
    assert_eq!(hands.count("a"), 1);
}

/// W1: a trigger that lacks what the first nodes refer to is refused before anything runs.
async fn a_trigger_that_lacks_something_is_refused(store: Harness) {
    let flow = parsed(json!({
        "name": "w",
        "nodes": [{ "nodeId": "a", "type": "do", "config": { "to": { "$from": "/trigger/mail" } } }]
    }));
    let refused = store.flow.start(Start::of(&flow, &json!({ "mial": 1 }))).await.unwrap_err();
    let wanted = "trigger: node a cannot begin: there is nothing at /trigger/mail; ";
    assert!(refused.to_string().starts_with(wanted), "{refused}");
    let none = store.flow.executions(&ExecutionFilter::all(), &PageRequest::default()).await;
    assert_eq!(none.unwrap().items, []);
}

/// D9: many go in one call, all or none.
async fn many_start_at_once(store: Harness) {
    let flow = std::sync::Arc::new(workflow(&[("a", &[]), ("b", &["a"])]));
    let starts = (0..200).map(|number| Start::of(&flow, &number)).collect();
    let started = store.flow.start_all(starts).await.unwrap();
    let hands = Hands::default();
    let all = async {
        for one in &started {
            assert!(completed(&store.ended(one.id).await));
        }
    };
    store.served(&hands, all).await;
    assert_eq!((hands.count("a"), hands.count("b")), (200, 200));
    let twice = vec![Start::of(&flow, &1).key("k"), Start::of(&flow, &2).key("k")];
    assert!(store.flow.start_all(twice).await.is_err());
    let page = PageRequest { limit: 500, after: None };
    let listed = store.flow.executions(&ExecutionFilter::all(), &page).await.unwrap();
    assert_eq!(listed.items.len(), 200, "of two that do not go together none is kept");
}

/// W1: the text of a workflow is kept once for all executions of it.
async fn a_workflow_is_kept_once(store: Harness) {
    let (one, other) = (workflow(&[("a", &[])]), workflow(&[("b", &[])]));
    for flow in [&one, &one, &other, &one] {
        store.start(flow, Value::Null).await;
    }
    let kept = store.store().workflows(&PageRequest::default()).await.unwrap().items;
    let texts: Vec<_> = kept.iter().map(|kept| kept.text.as_str()).collect();
    assert_eq!(texts, [other.text(), one.text()], "newest first");
}

cases!(
    a_key_starts_one_execution,
    a_trigger_that_lacks_something_is_refused,
    many_start_at_once,
    a_workflow_is_kept_once,
);
