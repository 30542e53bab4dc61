//! Interrupted commands: they get their grace to clean up, and no retry runs
//! beside them.

use std::path::Path;
use std::time::Duration;

use serde_json::json;
use steadfast::{Policy, Reason};
use steadfast_store::{Status, Store, Task};
use steadfast_worker::Worker;
use steadfast_worker::handlers::Commands;

use crate::stores::{eventually, on_each};
use crate::workers::{quick, start};

/// Logs its start, and takes a while to end after SIGTERM.
const SLOW_CLEANUP: &str =
    "trap 'sleep 0.3; echo end >> \"$0\"; exit 1' TERM; echo begin >> \"$0\"; sleep 1000 & wait";

fn worker(store: &Store) -> Worker {
    quick(store).commands(Commands::new(["sh"]))
}

fn task(log: &Path) -> Task {
    Task::new("command", &json!({"program": "sh", "args": ["-c", SLOW_CLEANUP, log]}))
}

fn lines(log: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(log).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

/// D19: a retry after a timeout starts once the whole process group has ended.
#[tokio::test(flavor = "multi_thread")]
async fn timed_out_command_ends_before_the_retry_starts() {
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

/// D13, D19: a stopping worker gives its commands their grace.
#[tokio::test(flavor = "multi_thread")]
async fn stopping_worker_lets_commands_clean_up() {
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
