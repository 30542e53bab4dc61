//! Commands that are interrupted: they get their time to clean up, and nothing is started beside
//! them meanwhile.

use std::path::Path;
use std::time::Duration;

use serde_json::json;
use steadfast::{Policy, Reason};
use steadfast_store::{Status, Store, Task};
use steadfast_worker::Worker;
use steadfast_worker::handlers::Commands;

use crate::stores::{eventually, on_each};
use crate::workers::{quick, start};

/// Writes down when it begins, and takes a while to end when it is asked to.
const SLOW_TO_END: &str =
    "trap 'sleep 0.3; echo end >> \"$0\"; exit 1' TERM; echo begin >> \"$0\"; sleep 1000 & wait";

fn worker(store: &Store) -> Worker {
    quick(store).commands(Commands::new(["sh"]))
}

fn task(log: &Path) -> Task {
    Task::new("command", &json!({"program": "sh", "args": ["-c", SLOW_TO_END, log]}))
}

fn lines(log: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(log).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

/// D19: the attempt after one that took too long begins when all of that one has ended.
#[tokio::test(flavor = "multi_thread")]
async fn a_command_that_took_too_long_has_ended_before_the_next_attempt() {
    on_each(async |store| {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("log");
        let worker = start(worker(&store));
        let policy = Policy::immediate().max_attempts(2);
        let policy = policy.attempt_timeout(Duration::from_secs(1)).build().unwrap();
        let id = store.submit(task(&log).under(policy)).await.unwrap().id;
        eventually(async || store.task(id).await.unwrap().status.is_ended()).await;
        worker.stop().await;
        assert_eq!(lines(&log), ["begin", "end", "begin", "end"]);
        let task = store.task(id).await.unwrap();
        assert_eq!((task.status, task.reason), (Status::Failed, Some(Reason::AttemptsExhausted)));
    })
    .await;
}

/// D13, D19: a worker that stops ends its commands as gently as anybody does.
#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_stops_lets_its_commands_clean_up() {
    on_each(async |store| {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("log");
        let worker = start(worker(&store).grace(Duration::from_millis(20)));
        let id = store.submit(task(&log)).await.unwrap().id;
        eventually(async || lines(&log).len() == 1).await;
        worker.stop().await;
        assert_eq!(lines(&log), ["begin", "end"]);
        assert_eq!(store.task(id).await.unwrap().status, Status::Pending);
    })
    .await;
}
