//! K3: what people do to executions is written down with them.

use serde_json::Value;
use steadfast_flow::Start;
use steadfast_store::AuditQuery;

use crate::harness::{Harness, somebody, workflow};

/// K3: each is one line with who did it, and what is refused is none.
async fn who_steers_an_execution_is_written_down(store: Harness) {
    let id = store.start(&workflow(&[("a", &[])]), Value::Null).await;
    store.flow.cancel(id, &somebody()).await.unwrap();
    assert!(store.flow.cancel(id, &somebody()).await.is_err());
    store.flow.resume(id, &somebody()).await.unwrap();
    store.flow.cancel(id, &somebody()).await.unwrap();
    store.flow.retry(id, &somebody()).await.unwrap();
    let mut query = AuditQuery::default();
    query.target = Some(id.to_string());
    let log = store.store().audited(&query).await.unwrap().items;
    let actions: Vec<_> = log.iter().rev().map(|entry| entry.action.as_str()).collect();
    let wanted = ["execution.cancel", "execution.resume", "execution.cancel", "execution.retry"];
    assert_eq!(actions, wanted);
    assert!(log.iter().all(|entry| entry.by.actor == "somebody"));
}

/// K3: who starts one is written with it, once for one key.
async fn who_starts_an_execution_is_written_down(store: Harness) {
    let flow = workflow(&[("a", &[])]);
    let start = || Start::of(&flow, &Value::Null).key("k").by(somebody());
    let id = store.flow.start(start()).await.unwrap().id;
    assert!(store.flow.start(start()).await.unwrap().existed);
    let refused = Start::of(&workflow(&[("b", &[])]), &Value::Null).key("k").by(somebody());
    assert!(store.flow.start(refused).await.is_err());
    let log = store.store().audited(&AuditQuery::default()).await.unwrap().items;
    let told: Vec<_> = log.iter().map(|entry| (entry.action.as_str(), &entry.target)).collect();
    assert_eq!(told, [("execution.start", &Some(id.to_string()))]);
    assert_eq!(log[0].by, somebody());
}

cases!(who_steers_an_execution_is_written_down, who_starts_an_execution_is_written_down);
