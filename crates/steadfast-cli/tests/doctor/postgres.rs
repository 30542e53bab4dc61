//! On servers.

use std::net::TcpListener;

use sqlx::{AssertSqlSafe, Connection as _, PgConnection};
use steadfast_store::{ClaimRequest, Store, Task};
use steadfast_testing::postgres::{Cluster, Settings};

use crate::store::Folder;
use crate::{Told, runtime};

/// A server that nobody else is on, with a store.
struct Server {
    cluster: Cluster,
    url: String,
}

impl Server {
    fn with(fill: impl AsyncFnOnce(Store)) -> Self {
        let cluster = Cluster::start(Settings { durable: true, ..Settings::default() }).unwrap();
        let url = cluster.create_database("tasks").unwrap();
        runtime().block_on(async { fill(Store::open(&url).await.unwrap()).await });
        Self { cluster, url }
    }

    fn doctor(&self) -> Told {
        told_of(&self.url)
    }

    fn execute(&self, statement: &str) {
        self.cluster.query("tasks", statement).unwrap();
    }
}

fn told_of(url: &str) -> Told {
    Told::by(&Folder::empty().output(&format!("doctor --json --store {url}")))
}

async fn execute(connection: &mut PgConnection, statements: &str) {
    sqlx::raw_sql(AssertSqlSafe(statements.to_owned())).execute(connection).await.unwrap();
}

/// Section 10: every check says ok on a server that is well, and says what is not when it is not.
#[test]
fn each_trouble_is_told_and_nothing_else() {
    let server = Server::with(async |store| {
        store.submit(Task::new("k", &1)).await.unwrap();
        store.claim(&ClaimRequest::new("mill-7", 1)).await.unwrap();
    });
    let told = server.doctor();
    assert_eq!((told.code, told.not_ok()), (Some(0), vec![]), "{:#}", told.json);

    server.execute("ALTER TABLE steadfast.ready SET (autovacuum_enabled = off)");
    let told = server.doctor();
    assert_eq!((told.code, told.not_ok()), (Some(0), vec!["autovacuum"]));
    let advice = "ALTER TABLE steadfast.ready RESET (autovacuum_enabled);";
    assert!(told.advice("autovacuum").contains(advice));
    server.execute(advice);

    server.execute("UPDATE steadfast.leases SET until = now() - interval '2 hours'");
    let told = server.doctor();
    assert_eq!((told.code, told.not_ok()), (Some(1), vec!["leases"]));
    assert_eq!(told.check("leases")["facts"]["tasks"], 1);
    server.execute("DELETE FROM steadfast.leases");

    server.execute("ALTER DATABASE tasks SET synchronous_commit = off");
    let told = server.doctor();
    assert_eq!((told.code, told.not_ok()), (Some(0), vec!["durability"]));
    server.execute("ALTER DATABASE tasks RESET synchronous_commit");

    server.execute("SELECT pg_create_physical_replication_slot('forgotten', true)");
    let told = server.doctor();
    assert_eq!((told.code, told.not_ok()), (Some(0), vec!["slots"]));
    assert!(told.advice("slots").contains("pg_drop_replication_slot('forgotten')"));
    server.execute("SELECT pg_drop_replication_slot('forgotten')");

    assert_eq!(told_of(&format!("{}?listen=off", server.url)).not_ok(), ["pooler"]);
    assert_eq!(server.doctor().not_ok(), [""; 0], "every advice helped");
}

/// D11: a listener in an open transaction, and what ends it.
#[test]
fn a_stuck_listener_is_told_and_the_advice_ends_it() {
    let server = Server::with(async |_| ());
    runtime().block_on(async {
        let mut stuck = PgConnection::connect(&server.url).await.unwrap();
        execute(&mut stuck, "LISTEN anything").await;
        execute(&mut stuck, "BEGIN; SELECT 1").await;
        server.execute(
            "SELECT count(pg_notify('anything', repeat('x', 7900) || n))
               FROM generate_series(1, 2000) AS n",
        );
        let told = server.doctor();
        assert_eq!((told.code, told.not_ok()), (Some(0), vec!["listeners"]));
        let advice = told.check("listeners")["next"][0]["run"][0].as_str().unwrap();
        assert!(advice.starts_with("SELECT pg_terminate_backend("), "{advice}");
        server.execute(advice);
    });
    assert_eq!(server.doctor().mark("listeners"), "ok");
}

/// K4: who is not let in is told why, and never the password.
#[test]
fn who_is_not_let_in_is_told_why() {
    let server = Server::with(async |_| ());
    server.execute("CREATE ROLE ada LOGIN PASSWORD 'right'");
    let hba = server.cluster.query("tasks", "SHOW hba_file").unwrap();
    let rules = "host all ada 127.0.0.1/32 scram-sha-256\nhost all all 127.0.0.1/32 trust\n";
    std::fs::write(hba.trim(), rules).unwrap();
    server.execute("SELECT pg_reload_conf()");
    let wrong = server.url.replace("postgres@", "ada:hunter2@");
    // The server reads its rules when it gets to it.
    let mut told = told_of(&wrong);
    for _ in 0..50 {
        if told.check("store")["found"].is_string() {
            break;
        }
        told = told_of(&wrong);
    }
    assert_eq!((told.code, told.mark("store")), (Some(1), "problem"));
    assert_eq!(told.check("store")["facts"]["sqlstate"], "28P01");
    assert!(told.advice("store").contains("the password is wrong"));
    assert!(!told.json.to_string().contains("hunter2"));

    let told = told_of(&server.url.replace("/tasks", "/nothing"));
    assert_eq!((told.code, told.mark("store")), (Some(1), "problem"));
    assert!(told.advice("store").contains("CREATE DATABASE"), "{:#}", told.json);

    let told = told_of("postgres://postgres@127.0.0.1:1/tasks");
    assert_eq!((told.code, told.mark("store")), (Some(1), "problem"));
    assert!(told.advice("store").contains("nobody listens there"), "{:#}", told.json);
}

/// K4: who may see little is told what he cannot see, and how he could.
#[test]
fn a_user_without_rights_is_told_which_to_grant() {
    let server = Server::with(async |_| ());
    server.execute("CREATE ROLE guest LOGIN");
    let guest = server.url.replace("postgres@", "guest@");
    let told = told_of(&guest);
    assert_eq!(
        (told.code, told.mark("rights"), told.mark("leases")),
        (Some(1), "problem", "unknown")
    );
    let grants = told.check("rights")["next"][0]["run"].as_array().unwrap().clone();
    for grant in grants {
        server.execute(grant.as_str().unwrap());
    }
    let told = told_of(&guest);
    assert_eq!((told.code, told.mark("rights"), told.mark("leases")), (Some(0), "ok", "ok"));
}

/// K4: a server that takes the connection and says nothing is not waited for.
#[test]
fn a_server_that_does_not_answer_is_told_in_time() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = silent.local_addr().unwrap().port();
    let told = told_of(&format!("postgres://postgres@127.0.0.1:{port}/tasks"));
    assert_eq!((told.code, told.mark("store")), (Some(1), "problem"));
    assert_eq!(told.check("store")["found"], "the database does not answer");
    assert!(told.advice("store").contains("firewalls"), "{:#}", told.json);
}
