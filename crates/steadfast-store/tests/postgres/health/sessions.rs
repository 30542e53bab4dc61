//! Facts about other sessions of the server.

use sqlx::postgres::PgListener;
use sqlx::{Connection as _, PgConnection};
use steadfast_testing::postgres::Pooler;

use super::{dedicated_server, execute};
use crate::{Fixture, with_store, with_store_at};

async fn pid(connection: &mut PgConnection) -> i32 {
    sqlx::query_scalar("SELECT pg_backend_pid()").fetch_one(connection).await.unwrap()
}

/// An open transaction prevents the removal of every row that has died since.
#[test]
fn open_transaction_is_reported_with_its_xmin_age() {
    with_store(async |fixture| {
        let mut other = PgConnection::connect(&fixture.url).await.unwrap();
        let pid = pid(&mut other).await;
        execute(&mut other, "SET application_name = 'report'").await;
        execute(&mut other, "BEGIN ISOLATION LEVEL REPEATABLE READ").await;
        execute(&mut other, "SELECT count(*) FROM steadfast.tasks").await;
        let transactions = fixture.server().await.transactions.unwrap();
        let open = transactions.oldest.iter().find(|session| session.pid == pid).unwrap();
        assert_eq!((&*open.application, &*open.state), ("report", "idle in transaction"));
        assert!(open.open_for.is_some() && open.holds_back.is_some(), "{open:?}");
        execute(&mut other, "ROLLBACK").await;
        let transactions = fixture.server().await.transactions.unwrap();
        assert!(transactions.oldest.iter().all(|session| session.pid != pid));
    });
}

/// A prepared transaction stays without a session, and an unread slot retains the log.
#[test]
fn prepared_transactions_and_slots_are_reported() {
    let (_cluster, url) = dedicated_server(&["max_prepared_transactions=2"]);
    with_store_at(&url, async |mut fixture| {
        let server = fixture.server().await;
        assert_eq!((server.prepared, server.slots), (Ok(vec![]), Ok(vec![])));
        let prepare = "BEGIN; INSERT INTO steadfast.queues (name) VALUES ('mail');
             PREPARE TRANSACTION 'two-step'";
        fixture.execute(prepare).await;
        fixture.execute("SELECT pg_create_physical_replication_slot('unused', true)").await;
        let server = fixture.server().await;
        let prepared = server.prepared.unwrap();
        assert_eq!((&*prepared[0].name, &*prepared[0].owner), ("two-step", "postgres"));
        let slots = server.slots.unwrap();
        assert_eq!((&*slots[0].name, slots[0].active), ("unused", false));
        assert!(slots[0].retained.is_some());
    });
}

/// D11: a listener that does not read, because its transaction stays open, fills the queue of all
/// databases.
#[test]
fn listener_that_does_not_read_is_reported() {
    let (_cluster, url) = dedicated_server(&[]);
    with_store_at(&url, async |mut fixture| {
        let listening = fixture.server().await.listening.unwrap();
        assert_eq!((listening.usage, listening.suspects), (0.0, vec![]));
        let mut stuck = PgConnection::connect(&fixture.url).await.unwrap();
        let pid = pid(&mut stuck).await;
        execute(&mut stuck, "LISTEN steadfast").await;
        execute(&mut stuck, "BEGIN; SELECT 1").await;
        let many = "SELECT pg_notify('steadfast', repeat('x', 7900) || n)
             FROM generate_series(1, 2000) AS n";
        fixture.execute(many).await;
        let listening = fixture.server().await.listening.unwrap();
        assert!(listening.usage >= 0.001, "{}", listening.usage);
        assert!(listening.suspects.iter().any(|session| session.pid == pid), "{listening:?}");
        stuck.close().await.unwrap();
        // The store's own listener continues to read, so nothing remains.
        let mut listener = PgListener::connect(&fixture.url).await.unwrap();
        listener.listen("steadfast").await.unwrap();
        let mut usage = f64::MAX;
        for _ in 0..100 {
            usage = fixture.server().await.listening.unwrap().usage;
            if usage < 0.0001 {
                break;
            }
        }
        assert!(usage < 0.0001, "{usage}");
    });
}

/// Connections of workers are counted apart from those of the health check.
#[test]
fn other_steadfast_connections_are_counted() {
    with_store(async |fixture| {
        fixture.store.now().await.unwrap();
        assert!(fixture.server().await.other_connections.unwrap() >= 1);
        let connections = fixture.server().await.connections.unwrap();
        assert!(connections.used >= 2 && connections.most > connections.used, "{connections:?}");
    });
}

/// D11: LISTEN does not work through a pooler that shares connections, so the health check reports
/// it.
#[test]
fn pooler_is_detected() {
    let (cluster, url) = dedicated_server(&[]);
    let pooler = Pooler::before(&cluster).unwrap();
    with_store_at(&url, async |fixture| {
        assert_eq!(fixture.server().await.pooled, Ok(false));
        let pooled_fixture = Fixture { url: pooler.url("tasks"), ..fixture };
        let health = pooled_fixture.health().await;
        assert!(health.schema.unwrap().is_current() && health.work.is_ok());
        let server = pooled_fixture.server().await;
        assert_eq!((server.pooled, server.listens), (Ok(true), true));
        let without_listen =
            Fixture { url: format!("{}?listen=off", pooled_fixture.url), ..pooled_fixture };
        assert!(!without_listen.server().await.listens);
    });
}

/// Two connections to the server itself have two sessions.
#[test]
fn direct_server_is_not_reported_as_pooled() {
    with_store(async |fixture| assert_eq!(fixture.server().await.pooled, Ok(false)));
}
