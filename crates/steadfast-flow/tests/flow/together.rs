//! Several processes on one store: what one does, the others do not do again.

use std::sync::Arc;

use serde_json::{Value, json};
use steadfast_flow::{ExecutionStatus, NodePlace, Start};

use crate::harness::{Hands, Harness, completed, parsed, somebody, workflow};

/// W4: three instances, each with a worker and a sweep that never rests, on the same executions.
/// Each node is run once.
async fn instances_do_not_do_each_others_work_again(store: Harness) {
    let nodes: Vec<Value> = (0..20)
        .map(|number| json!({ "nodeId": format!("n{number}"), "type": "do", "dependsOn": ["a"] }))
        .chain([json!({ "nodeId": "a", "type": "do" })])
        .collect();
    let flow = Arc::new(parsed(json!({ "name": "wide", "nodes": nodes })));
    let starts = (0..20).map(|number| Start::of(&flow, &number)).collect();
    let started = store.flow.start_all(starts).await.unwrap();
    let hands = Hands::default();
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
    second.served(&hands, third.served(&hands, store.served(&hands, all))).await;
    for node in ["a", "n0", "n19"] {
        assert_eq!(hands.count(node), 20, "{node}");
    }
}

/// D4: who calls an execution off while it goes on either calls it off or is too late.
async fn calling_off_and_going_on_do_not_both_happen(store: Harness) {
    let flow = workflow(&[("a", &[]), ("b", &["a"]), ("c", &["b"])]);
    let hands = Hands::default();
    let other = store.another().await;
    let all = async {
        for _ in 0..20 {
            let id = store.start(&flow, Value::Null).await;
            let cancelled = other.flow.cancel(id, &somebody()).await.is_ok();
            let execution = store.ended(id).await;
            let wanted =
                if cancelled { ExecutionStatus::Cancelled } else { ExecutionStatus::Completed };
            assert_eq!(execution.status, wanted);
            let settled = store.until(id, |execution| {
                execution.nodes.iter().all(|node| node.status != NodePlace::Submitted)
            });
            settled.await;
        }
    };
    store.served(&hands, all).await;
}

cases!(instances_do_not_do_each_others_work_again, calling_off_and_going_on_do_not_both_happen);
