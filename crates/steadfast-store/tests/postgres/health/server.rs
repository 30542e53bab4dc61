//! Facts about the server: settings, clock, tables.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use sqlx::{Connection as _, PgConnection};
use steadfast_store::health::{Table, examine};
use steadfast_testing::poll::{eventually, eventually_some};

use super::{execute, own};
use crate::{Fixture, task, with_store};

impl Fixture {
    async fn table(&self, name: &str) -> Table {
        let tables = self.server().await.tables.unwrap();
        tables.into_iter().find(|table| table.name == format!("steadfast.{name}")).unwrap()
    }
}

/// D4: the database's clock is compared with the given one.
#[test]
fn clock_difference_is_measured() {
    with_store(async |fixture| {
        let hour = SignedDuration::from_hours(1);
        let slow = examine(&fixture.url, || Timestamp::now() - hour).await.unwrap();
        let clock = own(slow).clock.unwrap();
        assert!((clock.ahead - hour).abs() < SignedDuration::from_secs(5), "{clock:?}");
        let fast = examine(&fixture.url, || Timestamp::now() + hour).await.unwrap();
        let clock = own(fast).clock.unwrap();
        assert!((clock.ahead + hour).abs() < SignedDuration::from_secs(5), "{clock:?}");
        let right = fixture.server().await.clock.unwrap();
        assert!(right.at_least() < Duration::from_secs(1), "{right:?}");
    });
}

#[test]
fn server_settings_are_reported() {
    with_store(async |mut fixture| {
        let server = fixture.server().await.server.unwrap();
        assert!(server.major >= 13 && server.version.starts_with(&server.major.to_string()));
        assert!(server.autovacuum && server.synchronous_commit && !server.standby);
        assert!(!server.read_only, "the health check's own read-only mode does not count");
        let database = server.database;
        let set = format!(
            "ALTER DATABASE {database} SET default_transaction_read_only = on;
             ALTER DATABASE {database} SET synchronous_commit = off"
        );
        fixture.execute(&set).await;
        let server = fixture.server().await.server.unwrap();
        assert!(server.read_only && !server.synchronous_commit);
    });
}

/// Tables that autovacuum is configured to skip, and their dead rows.
#[test]
fn dead_rows_and_missing_vacuum_are_reported() {
    with_store(async |mut fixture| {
        assert!(fixture.table("ready").await.autovacuum);
        fixture.execute("ALTER TABLE steadfast.ready SET (autovacuum_enabled = off)").await;
        fixture.store.submit_all((0..500).map(task).collect()).await.unwrap();
        // A session reports its number of deleted rows when it ends.
        let mut other = PgConnection::connect(&fixture.url).await.unwrap();
        execute(&mut other, "DELETE FROM steadfast.ready").await;
        other.close().await.unwrap();
        // The server updates its statistics asynchronously.
        let ready = eventually_some("the deleted rows are counted", async || {
            Some(fixture.table("ready").await).filter(|ready| ready.dead >= 500)
        })
        .await;
        assert!(!ready.autovacuum && ready.vacuumed.is_none(), "{ready:?}");
        assert!(ready.bytes > 0);
        fixture.execute("VACUUM steadfast.ready").await;
        eventually("the vacuum is counted", async || {
            fixture.table("ready").await.vacuumed.is_some()
        })
        .await;
    });
}

#[test]
fn transaction_id_age_is_reported() {
    with_store(async |fixture| {
        let numbers = fixture.server().await.numbers.unwrap();
        assert!(numbers.age > 0 && numbers.age < numbers.freeze_at, "{numbers:?}");
    });
}
