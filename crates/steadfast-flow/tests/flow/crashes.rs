//! W4: processes are killed while executions run; none is lost, and each node is recorded
//! once.
//!
//! The killed process is this test program itself, started again with the ignored test
//! [`child_process`].

use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use steadfast_flow::{
    Execution, ExecutionFilter, ExecutionNodeStatus, ExecutionStatus, Flow, Start,
};
use steadfast_store::{PageRequest, Store};
use steadfast_testing::process::{Process, ignored_test};
use steadfast_worker::Worker;
use tokio::time::{Instant, sleep};

use crate::harness::{Harness, TEST_TIMEOUT, completed, parsed};

/// The variable with the store's URL for the child process.
const STORE: &str = "STEADFAST_FLOW_TEST_STORE";
const EXECUTIONS: usize = 150;
const KILLS: usize = 12;
/// How many executions complete between two kills.
const EXECUTIONS_BETWEEN_KILLS: usize = EXECUTIONS / (KILLS + 1);

/// The entry point of the child process, which is killed by the other tests.
#[test]
#[ignore = "child process of executions_survive_killed_processes"]
fn child_process() {
    let url = std::env::var(STORE).expect("the parent test sets the store's URL");
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let store = Store::open(&url).await.unwrap();
        let worker = Worker::new(store.clone())
            .handle("do", |payload: Value| async move {
                // Long enough that a kill meets running nodes.
                sleep(Duration::from_millis(fastrand::u64(0..100))).await;
                Ok::<_, std::io::Error>(payload)
            })
            .lease(Duration::from_secs(1))
            .concurrency(5);
        Flow::new(store).serve(worker, std::future::pending()).await.unwrap();
    });
}

fn start(url: &str) -> Process {
    let mut child = ignored_test("crashes::child_process").unwrap();
    Process::start(child.env(STORE, url).stdout(Stdio::null())).unwrap()
}

async fn count(store: &Harness, status: ExecutionStatus) -> usize {
    let filter = ExecutionFilter::all().status(status);
    let page = PageRequest { limit: 1000, after: None };
    store.flow.executions(&filter, &page).await.unwrap().items.len()
}

/// W4: of three processes, one is killed whenever some executions have completed. As no node can be
/// lost more often than that, each of them completes.
async fn executions_survive_killed_processes(store: Harness) {
    let retry = json!({ "strategy": "immediate", "maxAttempts": KILLS });
    let flow = Arc::new(parsed(json!({
        "name": "diamond",
        "nodes": [
            { "nodeId": "a", "type": "do", "retry": retry },
            { "nodeId": "b", "type": "do", "retry": retry, "dependsOn": ["a"], "config": { "from": { "$from": "/nodes/a" } } },
            { "nodeId": "c", "type": "do", "retry": retry, "dependsOn": ["a"] },
            { "nodeId": "d", "type": "do", "retry": retry, "dependsOn": ["b", "c"] },
        ]
    })));
    let starts = (0..EXECUTIONS).map(|number| Start::of(&flow, &number)).collect();
    let started = store.flow.start_all(starts).await.unwrap();
    let url = store.database.url();
    let mut processes: Vec<_> = (0..3).map(|_| start(&url)).collect();
    let start_time = Instant::now();
    let mut kills = 0;
    while count(&store, ExecutionStatus::Running).await > 0 {
        assert!(start_time.elapsed() < 4 * TEST_TIMEOUT, "executions did not finish in time");
        let done = count(&store, ExecutionStatus::Completed).await;
        while kills < KILLS && done >= (kills + 1) * EXECUTIONS_BETWEEN_KILLS {
            let victim = fastrand::usize(..processes.len());
            processes.swap_remove(victim).kill().unwrap();
            processes.push(start(&url));
            kills += 1;
        }
    }
    drop(processes);
    assert_eq!(kills, KILLS, "the executions finished before all kills");
    for one in &started {
        check_completed(&store.show(one.id).await);
    }
}

fn check_completed(execution: &Execution) {
    assert!(completed(execution), "{:?}", execution.message);
    assert!(execution.nodes.iter().all(|node| node.status == ExecutionNodeStatus::Completed));
    let number = &execution.trigger;
    let a = json!({ "trigger": number, "nodes": {} });
    let b = json!({ "from": a });
    let c = json!({ "trigger": number, "nodes": { "a": a } });
    let d = json!({ "trigger": number, "nodes": { "b": b, "c": c } });
    for (node, wanted) in execution.nodes.iter().zip([a, b, c, d]) {
        assert_eq!(node.result, Some(wanted), "{}", node.node_id);
    }
}

cases!(executions_survive_killed_processes);
