//! `steadfast stats` (D15).

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may panic")]

mod store;

use serde_json::Value;
use steadfast_store::{Actor, Task};

use store::{Folder, failed_for_good, later};

/// D15: the four questions of S2.
#[test]
fn stats_counts_tasks_by_status() {
    let folder = Folder::with(async |store| {
        let tasks = vec![
            Task::new("k", &1),
            later(Task::new("k", &1), "23h").queue("mail"),
            later(Task::new("k", &1), "25h").queue("mail"),
            failed_for_good(Task::new("k", &1)),
        ];
        store.submit_all(tasks).await.unwrap();
        store.pause("mail", &Actor::new("ada")).await.unwrap();
    });
    let printed = folder.run_ok("stats");
    for line in ["pending             1", "failed              1", "success rate    0.0 %"] {
        assert!(printed.contains(line), "{line}\n{printed}");
    }
    assert!(
        printed.contains("scheduled           2  1 in the next 24 hours, next in 23 h"),
        "{printed}"
    );
    assert!(printed.contains("mail           0          2  paused"), "{printed}");

    let json: Value = serde_json::from_str(&folder.run_ok("stats --json")).unwrap();
    assert_eq!(json["pending"], 1);
    assert_eq!(json["due_in_24_hours"], 1);
    assert_eq!(json["failed"], 1);
    assert_eq!(json["success_rate"], 0.0);
    assert_eq!(json["queues"][1]["paused"], true);
}

/// Section 10: the store is selected by flag or by environment variable.
#[test]
fn store_is_selected_by_flag_or_environment() {
    let folder = Folder::with(async |store| {
        store.submit(Task::new("k", &1)).await.unwrap();
    });
    let url = format!("sqlite:{}", folder.path().join("steadfast.db").display());
    let elsewhere = Folder::empty();
    let by_flag = elsewhere.run_ok(&format!("stats --json --store {url}"));
    let by_variable =
        elsewhere.command("stats --json").env("STEADFAST_STORE", &url).output().unwrap();
    assert_eq!(by_flag.as_bytes(), by_variable.stdout);
    assert!(by_flag.starts_with("{\"pending\":1,"));
    assert_eq!(std::fs::read_dir(elsewhere.path()).unwrap().count(), 0, "nothing was made");
}
