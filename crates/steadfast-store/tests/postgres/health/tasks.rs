//! Facts about the schema, leases and backlogs.

use std::time::Duration;

use jiff::Timestamp;
use sqlx::{Connection as _, PgConnection};
use steadfast_store::health::{Lapsed, Schema, Work, examine};
use steadfast_store::{Actor, ClaimRequest, StoreError};
use steadfast_testing::postgres::Database;

use super::execute;
use crate::{task, with_store};

const TWO_HOURS: Duration = Duration::from_hours(2);

/// D14: however often it runs.
#[test]
fn health_check_creates_no_schema() {
    let database = Database::fresh().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let health = examine(database.url(), Timestamp::now).await.unwrap();
        assert!(matches!(health.schema, Ok(Schema { found: 0, known: 1.. })));
        let error = health.work.unwrap_err().to_string();
        assert_eq!(error, "there is no store yet");
        let mut connection = PgConnection::connect(database.url()).await.unwrap();
        let schemas = "SELECT count(*) FROM pg_namespace WHERE nspname = 'steadfast'";
        let schemas: i64 = sqlx::query_scalar(schemas).fetch_one(&mut connection).await.unwrap();
        assert_eq!(schemas, 0);
    });
}

/// D14: the schema of a newer program is reported as such.
#[test]
fn newer_schema_is_reported() {
    with_store(async |mut fixture| {
        fixture.execute("INSERT INTO steadfast.schema_versions (version) VALUES (99)").await;
        let health = fixture.health().await;
        assert!(matches!(health.schema, Ok(Schema { found: 99, known: 1..99 })));
        let error = health.work.unwrap_err().to_string();
        assert_eq!(error, "the store's schema is newer than this program");
    });
}

/// D14: the tasks of a store that needs a migration are still reported.
#[test]
fn older_schema_still_reports_work() {
    with_store(async |mut fixture| {
        fixture.store.submit(task(1)).await.unwrap();
        fixture.execute("DELETE FROM steadfast.schema_versions WHERE version > 1").await;
        let health = fixture.health().await;
        assert!(matches!(health.schema, Ok(Schema { found: 1, .. })));
        assert_eq!(health.work.unwrap().due.unwrap().queue, "default");
    });
}

/// D7: an expired lease that was not reclaimed means a lost worker.
#[test]
fn expired_lease_is_reported_with_its_worker() {
    with_store(async |mut fixture| {
        assert_eq!(fixture.health().await.work, Ok(Work::default()));
        fixture.store.submit_all((0..3).map(task).collect()).await.unwrap();
        fixture.store.claim(&ClaimRequest::new("mill-7", 2)).await.unwrap();
        let work = fixture.health().await.work.unwrap();
        assert_eq!((work.lapsed, work.alive), (None, 1));
        fixture.execute("UPDATE steadfast.leases SET until = now() - interval '2 hours'").await;
        let work = fixture.health().await.work.unwrap();
        let Some(Lapsed { leases: 1, tasks: 2, longest, workers }) = work.lapsed else {
            panic!("{work:?}");
        };
        assert!((TWO_HOURS..TWO_HOURS * 2).contains(&longest), "{longest:?}");
        assert_eq!((workers, work.alive), (vec!["mill-7".to_owned()], 0));
    });
}

/// D11: a task that stays due means that no worker claims it.
#[test]
fn oldest_due_task_is_reported() {
    with_store(async |mut fixture| {
        fixture.store.submit(task(1).queue("mail")).await.unwrap();
        fixture.store.submit(task(2).queue("calls").after(TWO_HOURS)).await.unwrap();
        let due = fixture.health().await.work.unwrap().due.unwrap();
        assert_eq!(due.queue, "mail");
        assert!(due.since < Duration::from_secs(60), "{:?}", due.since);
        let earlier = "UPDATE steadfast.waiting SET run_at = now() - interval '2 hours'";
        fixture.execute(earlier).await;
        let due = fixture.health().await.work.unwrap().due.unwrap();
        assert_eq!(due.queue, "calls");
        assert!((TWO_HOURS..TWO_HOURS * 2).contains(&due.since), "{:?}", due.since);
    });
}

/// D10: a paused queue waits for an operator, and is named.
#[test]
fn paused_queue_is_reported_as_paused() {
    with_store(async |fixture| {
        fixture.store.submit(task(1).queue("mail")).await.unwrap();
        fixture.store.pause("mail", &Actor::new("ada")).await.unwrap();
        let work = fixture.health().await.work.unwrap();
        assert_eq!((work.due, work.paused), (None, vec!["mail".to_owned()]));
    });
}

/// K4: a role without some privileges gets the rest of the report, and a list of what is missing.
#[test]
fn missing_privileges_are_listed() {
    with_store(async |mut fixture| {
        let database: String = sqlx::query_scalar("SELECT current_database()")
            .fetch_one(&mut fixture.connection)
            .await
            .unwrap();
        let role = format!("guest_of_{database}");
        fixture.execute(&format!("CREATE ROLE {role} LOGIN")).await;
        let guest = fixture.url.replace("postgres@", &format!("{role}@"));
        let health = examine(&guest, Timestamp::now).await.unwrap();
        let error = health.schema.unwrap_err().to_string();
        assert!(error.contains("permission denied for schema steadfast"), "{error}");
        assert!(health.work.is_err());
        let server = super::own(examine(&guest, Timestamp::now).await.unwrap());
        let missing = server.missing_rights.unwrap();
        assert!(missing.contains(&"USAGE ON SCHEMA steadfast".to_owned()), "{missing:?}");
        let all_rights = "SELECT, INSERT, UPDATE, DELETE ON TABLE steadfast.tasks".to_owned();
        assert!(missing.contains(&all_rights), "{missing:?}");
        assert!(
            server.transactions.unwrap().hidden > 0,
            "the store's sessions are hidden from this role"
        );
        let grants: Vec<_> =
            missing.iter().map(|right| format!("GRANT {right} TO {role};")).collect();
        fixture.execute(&grants.concat()).await;
        let health = examine(&guest, Timestamp::now).await.unwrap();
        assert!(health.schema.unwrap().is_current() && health.work.is_ok());
        assert_eq!(
            super::own(examine(&guest, Timestamp::now).await.unwrap()).missing_rights,
            Ok(vec![])
        );
        fixture.execute(&format!("DROP OWNED BY {role}; DROP ROLE {role}")).await;
    });
}

/// K4: a missing server and a missing database are distinct errors.
#[test]
fn unreachable_server_is_an_error() {
    with_store(async |mut fixture| {
        let unreachable = "postgres://postgres@127.0.0.1:1/tasks";
        let error = examine(unreachable, Timestamp::now).await.unwrap_err();
        assert!(matches!(error, StoreError::Unreachable(_)), "{error}");
        let missing = format!("{}_not", fixture.url);
        let error = examine(&missing, Timestamp::now).await.unwrap_err();
        assert!(error.to_string().contains("does not exist"), "{error}");
        execute(&mut fixture.connection, "SELECT 1").await;
    });
}
