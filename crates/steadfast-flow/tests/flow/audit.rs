//! K3: the audit log of operator actions on executions.

use serde_json::Value;
use steadfast_flow::Start;
use steadfast_store::AuditQuery;

use crate::harness::{Harness, operator, workflow};

/// K3: each action is one entry with its actor, and a rejected one has none.
async fn operator_actions_are_audited(store: Harness) {
    let id = store.start(&workflow(&[("a", &[])]), Value::Null).await;
    store.flow.cancel(id, &operator()).await.unwrap();
    assert!(store.flow.cancel(id, &operator()).await.is_err());
    store.flow.resume(id, &operator()).await.unwrap();
    store.flow.cancel(id, &operator()).await.unwrap();
    store.flow.retry(id, &operator()).await.unwrap();
    let mut query = AuditQuery::default();
    query.target = Some(id.to_string());
    let log = store.store().audit_entries(&query).await.unwrap().items;
    let actions: Vec<_> = log.iter().rev().map(|entry| entry.action.as_str()).collect();
    let wanted = ["execution.cancel", "execution.resume", "execution.cancel", "execution.retry"];
    assert_eq!(actions, wanted);
    assert!(log.iter().all(|entry| entry.actor.name == "operator"));
}

/// K3: a start is audited with the execution, once per key.
async fn start_is_audited_once_per_key(store: Harness) {
    let flow = workflow(&[("a", &[])]);
    let start = || Start::of(&flow, &Value::Null).key("k").by(operator());
    let id = store.flow.start(start()).await.unwrap().id;
    assert!(store.flow.start(start()).await.unwrap().existed);
    let rejected = Start::of(&workflow(&[("b", &[])]), &Value::Null).key("k").by(operator());
    assert!(store.flow.start(rejected).await.is_err());
    let log = store.store().audit_entries(&AuditQuery::default()).await.unwrap().items;
    let message: Vec<_> = log.iter().map(|entry| (entry.action.as_str(), &entry.target)).collect();
    assert_eq!(message, [("execution.start", &Some(id.to_string()))]);
    assert_eq!(log[0].actor, operator());
}

cases!(operator_actions_are_audited, start_is_audited_once_per_key);
