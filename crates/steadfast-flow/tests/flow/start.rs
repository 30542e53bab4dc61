//! Starting executions: once per key, and with a valid trigger.

use serde_json::{Value, json};
use steadfast_flow::{ExecutionFilter, Start};
use steadfast_store::PageRequest;

use crate::harness::{Handlers, Harness, completed, parsed, workflow};

/// D9: starting twice with one key starts once, and a different start is rejected.
async fn key_starts_one_execution(store: Harness) {
    let flow = workflow(&[("a", &[])]);
    let start = |trigger: Value| Start::of(&flow, &trigger).key("order-7");
    let first = store.flow.start(start(json!(1))).await.unwrap();
    let again = store.flow.start(start(json!(1))).await.unwrap();
    assert_eq!((first.existed, again.existed, again.id), (false, true, first.id));
    let rejected = store.flow.start(start(json!(2))).await.unwrap_err().to_string();
    assert!(rejected.starts_with("key `order-7` was already used for execution"), "{rejected}");
    let handlers = Handlers::default();
    assert!(completed(&store.run(&handlers, first.id).await));
    assert_eq!(handlers.count("a"), 1);
}

/// W1: a trigger without the values that the first nodes refer to is rejected.
async fn trigger_without_a_referenced_value_is_rejected(store: Harness) {
    let flow = parsed(json!({
        "name": "w",
        "nodes": [{ "nodeId": "a", "type": "do", "config": { "to": { "$from": "/trigger/mail" } } }]
    }));
    let rejected = store.flow.start(Start::of(&flow, &json!({ "mial": 1 }))).await.unwrap_err();
    let wanted = "trigger: node a cannot start: no value at /trigger/mail; ";
    assert!(rejected.to_string().starts_with(wanted), "{rejected}");
    let none = store.flow.executions(&ExecutionFilter::all(), &PageRequest::default()).await;
    assert_eq!(none.unwrap().items, []);
}

/// D9: many start in one call, all or none.
async fn many_executions_start_at_once(store: Harness) {
    let flow = std::sync::Arc::new(workflow(&[("a", &[]), ("b", &["a"])]));
    let starts = (0..200).map(|number| Start::of(&flow, &number)).collect();
    let started = store.flow.start_all(starts).await.unwrap();
    let handlers = Handlers::default();
    let all = async {
        for one in &started {
            assert!(completed(&store.ended(one.id).await));
        }
    };
    store.served(&handlers, all).await;
    assert_eq!((handlers.count("a"), handlers.count("b")), (200, 200));
    let twice = vec![Start::of(&flow, &1).key("k"), Start::of(&flow, &2).key("k")];
    assert!(store.flow.start_all(twice).await.is_err());
    let page = PageRequest { limit: 500, after: None };
    let listed = store.flow.executions(&ExecutionFilter::all(), &page).await.unwrap();
    assert_eq!(listed.items.len(), 200, "conflicting starts are not stored");
}

/// W1: a workflow definition is stored once for all its executions.
async fn workflow_definition_is_stored_once(store: Harness) {
    let (one, other) = (workflow(&[("a", &[])]), workflow(&[("b", &[])]));
    for flow in [&one, &one, &other, &one] {
        store.start(flow, Value::Null).await;
    }
    let stored = store.store().workflows(&PageRequest::default()).await.unwrap().items;
    let texts: Vec<_> = stored.iter().map(|one| one.text.as_str()).collect();
    assert_eq!(texts, [other.text(), one.text()], "newest first");
}

cases!(
    key_starts_one_execution,
    trigger_without_a_referenced_value_is_rejected,
    many_executions_start_at_once,
    workflow_definition_is_stored_once,
);
