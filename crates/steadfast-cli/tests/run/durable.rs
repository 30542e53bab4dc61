//! Hand-over of a failed run to a store (D12).

use std::path::Path;

use steadfast::Class;
use steadfast_store::{Status, Store, StoredTask};

use super::script::{output, text};

fn url(folder: &Path) -> String {
    format!("sqlite:{}", folder.join("tasks.db").display())
}

/// The task with this id.
fn stored(url: &str, id: &str) -> StoredTask {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let store = Store::open(url).await.unwrap();
        store.task(id.parse().unwrap()).await.unwrap()
    })
}

/// D12: the task has the history and the key, and the id is printed.
#[test]
fn exhausted_run_becomes_a_task_with_history() {
    let folder = tempfile::tempdir().unwrap();
    let url = url(folder.path());
    let flags = format!("--base-delay 1ms --attempt-timeout 90s --durable --store {url}");
    let ended = output(&flags, "echo $STEADFAST_KEY; exit 75");
    assert_eq!(ended.status.code(), Some(75));
    let (_, id) = text(&ended.stderr).split_once("handed over to the store as task ").unwrap();
    let task = stored(&url, id.trim());
    assert_eq!((task.kind.as_str(), task.status), ("command", Status::Scheduled));
    assert_eq!(
        task.payload,
        serde_json::json!({
            "program": "sh",
            "args": ["-c", "echo $STEADFAST_KEY; exit 75"],
            "timeout": 90.0
        })
    );
    assert_eq!(task.idempotency_key.as_deref(), text(&ended.stdout).lines().next());
    let history: Vec<_> = task.faults.iter().map(|fault| (fault.attempt, fault.class)).collect();
    assert_eq!(history, [(1, Class::Retryable), (2, Class::Retryable), (3, Class::Retryable)]);
}

/// D12: a final failure is not handed over.
#[test]
fn final_failure_is_not_handed_over() {
    let folder = tempfile::tempdir().unwrap();
    let flags = format!("--abort-on exit:2 --durable --store {}", url(folder.path()));
    let ended = output(&flags, "exit 2");
    assert_eq!(ended.status.code(), Some(2));
    assert!(!text(&ended.stderr).contains("handed over"));
}

/// K4: an unusable store is reported before the first attempt.
#[test]
fn unusable_store_is_reported_before_the_first_attempt() {
    let refused = output("--durable --store sqlite:/no/such/folder/tasks.db", "echo run");
    assert_eq!((refused.status.code(), text(&refused.stdout)), (Some(1), ""));
    assert!(text(&refused.stderr).contains("cannot open the store"));
}
