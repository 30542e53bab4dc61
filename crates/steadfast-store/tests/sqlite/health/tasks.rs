//! Facts about the schema, leases and backlogs.

use std::time::Duration;

use jiff::Timestamp;
use sqlx::{AssertSqlSafe, Executor};
use steadfast_store::health::{Lapsed, Schema, Work, examine};
use steadfast_store::{Actor, StoreError};
use tempfile::tempdir;

use super::examine_file;
use crate::{Fixture, task};

const TWO_HOURS: Duration = Duration::from_hours(2);
const NOW: &str = "CAST(unixepoch('subsec') * 1000000 AS INTEGER)";

impl Fixture {
    async fn execute(&self, statement: &str) {
        let statement = AssertSqlSafe(statement.to_owned());
        self.connection().await.execute(statement).await.unwrap();
    }
}

/// D14: a file without a store stays without one, and a missing file is not created.
#[tokio::test]
async fn health_check_creates_no_file() {
    let directory = tempdir().unwrap();
    let path = directory.path().join("tasks.db");
    let url = format!("sqlite:{}", path.display());
    let error = examine(&url, Timestamp::now).await.unwrap_err();
    assert!(error.to_string().contains("there is no such file"), "{error}");
    std::fs::write(&path, "").unwrap();
    let health = examine_file(&path).await;
    assert!(matches!(health.schema, Ok(Schema { found: 0, known: 1.. })));
    assert!(health.work.is_err());
    let left: Vec<_> = directory.path().read_dir().unwrap().collect();
    assert_eq!((left.len(), path.metadata().unwrap().len()), (1, 0), "{left:?}");
}

#[tokio::test]
async fn memory_store_has_no_health() {
    let directory = tempdir().unwrap();
    let url = format!("sqlite:{}", directory.path().display());
    let error = examine(&url, Timestamp::now).await.unwrap_err();
    assert!(error.to_string().contains("it is a directory"), "{error}");
    let error = examine("sqlite::memory:", Timestamp::now).await.unwrap_err();
    assert!(error.to_string().contains("ends with its process"), "{error}");
    let error = examine("mysql://ada:hunter2@db/tasks", Timestamp::now).await.unwrap_err();
    assert!(matches!(error, StoreError::Url { .. }), "{error}");
    assert!(!error.to_string().contains("hunter2"), "{error}");
}

/// D14: the schema of a newer program is reported as such.
#[tokio::test]
async fn newer_schema_is_reported() {
    let fixture = Fixture::new().await;
    fixture.execute("INSERT INTO steadfast_schema (version) VALUES (99)").await;
    let health = fixture.health().await;
    assert!(matches!(health.schema, Ok(Schema { found: 99, known: 1..99 })));
    assert!(health.work.is_err());
}

/// D7: an expired lease that was not reclaimed means a lost worker.
#[tokio::test]
async fn expired_lease_is_reported_with_its_worker() {
    let fixture = Fixture::new().await;
    assert_eq!(fixture.health().await.work, Ok(Work::default()));
    fixture.store.submit_all((0..3).map(task).collect()).await.unwrap();
    fixture.claim(2).await;
    let work = fixture.health().await.work.unwrap();
    assert_eq!((work.lapsed, work.alive), (None, 1));
    fixture.execute(&format!("UPDATE steadfast_leases SET until = {NOW} - 7200000000")).await;
    let work = fixture.health().await.work.unwrap();
    let Some(Lapsed { leases: 1, tasks: 2, longest, workers }) = work.lapsed else {
        panic!("{work:?}");
    };
    assert!((TWO_HOURS..TWO_HOURS * 2).contains(&longest), "{longest:?}");
    assert_eq!((workers, work.alive), (vec!["worker".to_owned()], 0));
}

/// D11: a task that stays due means that no worker claims it.
#[tokio::test]
async fn oldest_due_task_is_reported() {
    let fixture = Fixture::new().await;
    fixture.store.submit(task(1).queue("mail")).await.unwrap();
    fixture.store.submit(task(2).queue("calls").after(TWO_HOURS)).await.unwrap();
    let due = fixture.health().await.work.unwrap().due.unwrap();
    assert_eq!(due.queue, "mail");
    assert!(due.since < Duration::from_secs(60), "{:?}", due.since);
    fixture.execute(&format!("UPDATE steadfast_waiting SET due_at = {NOW} - 7200000000")).await;
    let due = fixture.health().await.work.unwrap().due.unwrap();
    assert_eq!(due.queue, "calls");
    assert!((TWO_HOURS..TWO_HOURS * 2).contains(&due.since), "{:?}", due.since);
}

/// D10: a paused queue waits for an operator, and is named.
#[tokio::test]
async fn paused_queue_is_reported_as_paused() {
    let fixture = Fixture::new().await;
    fixture.store.submit(task(1).queue("mail")).await.unwrap();
    fixture.store.pause("mail", &Actor::new("ada")).await.unwrap();
    let work = fixture.health().await.work.unwrap();
    assert_eq!((work.due, work.paused), (None, vec!["mail".to_owned()]));
}

/// D4: the clock of a file is this machine's; that it was set back is detected by later stored
/// times.
#[tokio::test]
async fn clock_set_back_is_reported() {
    let fixture = Fixture::new().await;
    fixture.store.submit(task(1)).await.unwrap();
    assert_eq!(fixture.own().await.ahead, Ok(None));
    fixture.execute(&format!("UPDATE steadfast_tasks SET submitted_at = {NOW} + 7200000000")).await;
    let ahead = fixture.own().await.ahead.unwrap().unwrap();
    assert!(ahead > TWO_HOURS - Duration::from_secs(60) && ahead <= TWO_HOURS, "{ahead:?}");
}
