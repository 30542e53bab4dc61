//! Several processes on one store: each node runs once.

use std::sync::Arc;

use serde_json::{Value, json};
use steadfast_flow::{ExecutionNodeStatus, ExecutionStatus, Start};

use crate::harness::{Handlers, Harness, completed, operator, parsed, workflow};

/// W4: three instances, each with a worker and a continuous sweep, on the same executions.
/// Each node is run once.
async fn concurrent_instances_run_each_node_once(store: Harness) {
    let nodes: Vec<Value> = (0..20)
        .map(|number| json!({ "nodeId": format!("n{number}"), "type": "do", "dependsOn": ["a"] }))
        .chain([json!({ "nodeId": "a", "type": "do" })])
        .collect();
    let flow = Arc::new(parsed(json!({ "name": "wide", "nodes": nodes })));
    let starts = (0..20).map(|number| Start::of(&flow, &number)).collect();
    let started = store.flow.start_all(starts).await.unwrap();
    let handlers = Handlers::default();
    let mut others = Vec::new();
    for _ in 0..2 {
        let mut other = store.another().await;
        other.flow = other.flow.sweep_every(std::time::Duration::from_millis(1));
        others.push(other);
    }
    let all = async {
        for one in &started {
            assert!(completed(&store.ended(one.id).await));
        }
    };
    let [second, third] = &others[..] else { panic!("two") };
    second.served(&handlers, third.served(&handlers, store.served(&handlers, all))).await;
    for node in ["a", "n0", "n19"] {
        assert_eq!(handlers.count(node), 20, "{node}");
    }
}

/// D4: a cancellation of an advancing execution either succeeds or is rejected.
async fn concurrent_cancel_and_advance_do_not_both_succeed(store: Harness) {
    let flow = workflow(&[("a", &[]), ("b", &["a"]), ("c", &["b"])]);
    let handlers = Handlers::default();
    let other = store.another().await;
    let all = async {
        for _ in 0..20 {
            let id = store.start(&flow, Value::Null).await;
            let cancelled = other.flow.cancel(id, &operator()).await.is_ok();
            let execution = store.ended(id).await;
            let wanted =
                if cancelled { ExecutionStatus::Cancelled } else { ExecutionStatus::Completed };
            assert_eq!(execution.status, wanted);
            let settled = store.until(id, |execution| {
                execution.nodes.iter().all(|node| node.status != ExecutionNodeStatus::Submitted)
            });
            settled.await;
        }
    };
    store.served(&handlers, all).await;
}

cases!(concurrent_instances_run_each_node_once, concurrent_cancel_and_advance_do_not_both_succeed);
