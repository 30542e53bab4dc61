//! `steadfast db` (D14).

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may panic")]

mod store;

use serde_json::Value;
use steadfast_store::{Actor, AuditEntry, Task};
use steadfast_testing::postgres::Database;

use store::{Folder, failed_for_good};

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

fn with_failures(count: u64) -> Folder {
    Folder::with(async move |store| {
        let tasks = (0..count).map(|number| failed_for_good(Task::new("k", &number)));
        store.submit_all(tasks.collect()).await.unwrap();
        store.submit(Task::new("k", &0)).await.unwrap();
    })
}

/// D14: a store is created, migrated once, and inspected without changes.
#[test]
fn migrate_is_idempotent_on_both_engines() {
    let (folder, database) = (Folder::empty(), Database::fresh().unwrap());
    for store in ["sqlite:steadfast.db", database.url()] {
        let first = json(&folder.run_ok(&format!("db migrate --store {store} --json")));
        assert_eq!(first["from"], 0);
        let printed = folder.run_ok(&format!("db migrate --store {store}"));
        assert_eq!(printed, format!("schema version {} is up to date\n", first["to"]));
        let status = json(&folder.run_ok(&format!("db status --store {store} --json")));
        assert_eq!((&status["applied"], &status["pending_migrations"]), (&first["to"], &0.into()));
        assert_eq!(status["tasks"]["pending"], 0);
        assert!(status["bytes"].as_u64().unwrap() > 0);
        let printed = folder.run_ok(&format!("db status --store {store}"));
        assert!(printed.contains("up to date") && printed.contains("none\n"), "{printed}");
    }
}

/// D14: counts by status and by table.
#[test]
fn status_counts_tasks_and_rows() {
    let folder = with_failures(3);
    let status = json(&folder.run_ok("db status --json"));
    assert_eq!((&status["engine"], &status["journal_mode"]), (&"SQLite".into(), &"wal".into()));
    assert_eq!((&status["tasks"]["failed"], &status["tasks"]["pending"]), (&3.into(), &1.into()));
    let tables = status["tables"].as_array().unwrap();
    let tasks = tables.iter().find(|table| table["name"] == "tasks").unwrap();
    assert_eq!(tasks["rows"], 4);
    assert!(folder.run_ok("db status").contains("1 pending, 3 failed"));
}

/// D14: a database without a schema is reported and not changed.
#[test]
fn status_creates_nothing() {
    let database = Database::fresh().unwrap();
    let folder = Folder::empty();
    for _ in 0..2 {
        let printed = folder.run_ok(&format!("db status --store {}", database.url()));
        assert!(printed.contains("none: create it with `steadfast db migrate`"), "{printed}");
    }
    let (code, printed) = folder.run_err("db status");
    assert_eq!(code, Some(78));
    assert!(printed.contains("no store in this directory"), "{printed}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

/// D14: finished tasks are deleted by age and count, in batches, with an audit entry.
#[test]
fn prune_deletes_only_ended_tasks() {
    let folder = with_failures(2500);
    let dry = folder.run_ok("db prune --failed-older-than 0s --dry-run");
    assert_eq!(dry, "2500 tasks would be deleted\n");
    assert_eq!(folder.run_ok("db prune"), "nothing to delete\n");
    assert_eq!(folder.run_ok("db prune --keep-tasks 2000"), "500 tasks deleted\n");
    let printed = json(&folder.run_ok("db prune --failed-older-than 0s --json"));
    assert_eq!((&printed["tasks"], &printed["dry_run"]), (&2000.into(), &false.into()));
    let (stats, log) = folder.change(async |store| {
        (store.stats().await.unwrap(), store.audit_entries(&Default::default()).await.unwrap())
    });
    assert_eq!((stats.failed, stats.pending), (0, 1));
    let counts: Vec<_> =
        log.items.iter().map(|entry| (&*entry.action, &entry.detail["tasks"])).collect();
    assert_eq!(counts, [("store.prune", &2000.into()), ("store.prune", &500.into())]);
}

/// D14, K3: audit entries are deleted only on request, with an audit entry.
#[test]
fn audit_log_is_pruned_only_on_request() {
    let folder = Folder::with(async |store| {
        let entries: Vec<_> =
            (0..3).map(|_| AuditEntry::new(Actor::new("ada"), "a.action")).collect();
        store.audit_all(&entries).await.unwrap();
    });
    folder.sql("UPDATE steadfast_audit SET at = at - 400 * 86400000000");
    assert_eq!(folder.run_ok("db prune"), "nothing to delete\n");
    let dry = folder.run_ok("db prune --audit-older-than 365d --dry-run");
    assert_eq!(dry, "3 audit entries would be deleted\n");
    assert_eq!(folder.run_ok("db prune --audit-older-than 365d"), "3 audit entries deleted\n");
    let log = folder.change(async |store| store.audit_entries(&Default::default()).await.unwrap());
    let printed: Vec<_> =
        log.items.iter().map(|entry| (&*entry.action, entry.detail.clone())).collect();
    assert_eq!(printed[0].0, "store.prune");
    assert_eq!(printed[0].1["audit"], 3);
    assert_eq!(
        printed[1..],
        [("audit.prune", serde_json::json!({"entries": 3, "first": 1, "last": 3}))]
    );
}
