//! `db`: the database behind a store (D14).

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

/// D14: a store is made, brought up to date once, and looked at without changing it.
#[test]
fn a_database_is_migrated_once_on_either_engine() {
    let (folder, database) = (Folder::empty(), Database::fresh().unwrap());
    for store in ["sqlite:steadfast.db", database.url()] {
        let first = json(&folder.told(&format!("db migrate --store {store} --json")));
        assert_eq!(first["from"], 0);
        let told = folder.told(&format!("db migrate --store {store}"));
        assert_eq!(told, format!("up to date: the schema is version {}\n", first["to"]));
        let status = json(&folder.told(&format!("db status --store {store} --json")));
        assert_eq!((&status["applied"], &status["pending_migrations"]), (&first["to"], &0.into()));
        assert_eq!(status["tasks"]["pending"], 0);
        assert!(status["bytes"].as_u64().unwrap() > 0);
        let told = folder.told(&format!("db status --store {store}"));
        assert!(told.contains("up to date") && told.contains("none\n"), "{told}");
    }
}

/// D14: what is there, by status and by table.
#[test]
fn a_status_counts_what_is_there() {
    let folder = with_failures(3);
    let status = json(&folder.told("db status --json"));
    assert_eq!((&status["engine"], &status["journal_mode"]), (&"SQLite".into(), &"wal".into()));
    assert_eq!((&status["tasks"]["failed"], &status["tasks"]["pending"]), (&3.into(), &1.into()));
    let tables = status["tables"].as_array().unwrap();
    let tasks = tables.iter().find(|table| table["name"] == "tasks").unwrap();
    assert_eq!(tasks["rows"], 4);
    assert!(folder.told("db status").contains("1 pending, 3 failed"));
}

/// D14: a database that nobody has opened a store on is told as such, and left as it is.
#[test]
fn a_status_makes_nothing() {
    let database = Database::fresh().unwrap();
    let folder = Folder::empty();
    for _ in 0..2 {
        let told = folder.told(&format!("db status --store {}", database.url()));
        assert!(told.contains("none: `steadfast db migrate` makes one"), "{told}");
    }
    let (code, told) = folder.refused("db status");
    assert_eq!(code, Some(78));
    assert!(told.contains("there is no store here"), "{told}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

/// D14: what has ended is forgotten by age and count, in pieces, and the log says who did it.
#[test]
fn what_has_ended_is_forgotten_and_nothing_else() {
    let folder = with_failures(2500);
    let dry = folder.told("db prune --failed-for 0s --dry-run");
    assert_eq!(dry, "2500 tasks would be forgotten, nothing was\n");
    assert_eq!(folder.told("db prune"), "nothing is old enough to be forgotten\n");
    assert_eq!(folder.told("db prune --at-most 2000"), "500 tasks forgotten\n");
    let told = json(&folder.told("db prune --failed-for 0s --json"));
    assert_eq!((&told["tasks"], &told["dry_run"]), (&2000.into(), &false.into()));
    let (stats, log) = folder.change(async |store| {
        (store.stats().await.unwrap(), store.audit_entries(&Default::default()).await.unwrap())
    });
    assert_eq!((stats.failed, stats.pending), (0, 1));
    let counts: Vec<_> =
        log.items.iter().map(|entry| (&*entry.action, &entry.detail["tasks"])).collect();
    assert_eq!(counts, [("store.prune", &2000.into()), ("store.prune", &500.into())]);
}

/// D14, K3: the audit log is forgotten when it is asked for, and says by whom and how much.
#[test]
fn the_audit_log_is_forgotten_when_it_is_asked_for() {
    let folder = Folder::with(async |store| {
        let entries: Vec<_> =
            (0..3).map(|_| AuditEntry::new(Actor::new("ada"), "a.deed")).collect();
        store.audit_all(&entries).await.unwrap();
    });
    folder.sql("UPDATE steadfast_audit SET at = at - 400 * 86400000000");
    assert_eq!(folder.told("db prune"), "nothing is old enough to be forgotten\n");
    let dry = folder.told("db prune --audit-for 365d --dry-run");
    assert_eq!(dry, "3 audit entries would be forgotten, nothing was\n");
    assert_eq!(folder.told("db prune --audit-for 365d"), "3 audit entries forgotten\n");
    let log = folder.change(async |store| store.audit_entries(&Default::default()).await.unwrap());
    let told: Vec<_> =
        log.items.iter().map(|entry| (&*entry.action, entry.detail.clone())).collect();
    assert_eq!(told[0].0, "store.prune");
    assert_eq!(told[0].1["audit"], 3);
    assert_eq!(
        told[1..],
        [("audit.prune", serde_json::json!({"entries": 3, "first": 1, "last": 3}))]
    );
}
