//! PostgreSQL stores.

use std::net::TcpListener;

use sqlx::{AssertSqlSafe, Connection as _, PgConnection};
use steadfast_store::{ClaimRequest, Store, Task};
use steadfast_testing::postgres::{Cluster, Settings};

use crate::store::Folder;
use crate::{DoctorOutput, runtime};

/// A server used only by the test, with a store.
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

    fn doctor(&self) -> DoctorOutput {
        doctor_on(&self.url)
    }

    fn execute(&self, statement: &str) {
        self.cluster.query("tasks", statement).unwrap();
    }
}

fn doctor_on(url: &str) -> DoctorOutput {
    DoctorOutput::by(&Folder::empty().output(&format!("doctor --json --store {url}")))
}

async fn execute(connection: &mut PgConnection, statements: &str) {
    sqlx::raw_sql(AssertSqlSafe(statements.to_owned())).execute(connection).await.unwrap();
}

/// Section 10: every check is ok on a healthy server, and reports its own problem.
#[test]
fn each_problem_is_reported_by_its_check_only() {
    let server = Server::with(async |store| {
        store.submit(Task::new("k", &1)).await.unwrap();
        store.claim(&ClaimRequest::new("mill-7", 1)).await.unwrap();
    });
    let printed = server.doctor();
    assert_eq!((printed.code, printed.not_ok()), (Some(0), vec![]), "{:#}", printed.json);

    server.execute("ALTER TABLE steadfast.ready SET (autovacuum_enabled = off)");
    let printed = server.doctor();
    assert_eq!((printed.code, printed.not_ok()), (Some(0), vec!["autovacuum"]));
    let advice = "ALTER TABLE steadfast.ready RESET (autovacuum_enabled);";
    assert!(printed.advice("autovacuum").contains(advice));
    server.execute(advice);

    server.execute("UPDATE steadfast.leases SET until = now() - interval '2 hours'");
    let printed = server.doctor();
    assert_eq!((printed.code, printed.not_ok()), (Some(1), vec!["leases"]));
    assert_eq!(printed.check("leases")["facts"]["tasks"], 1);
    server.execute("DELETE FROM steadfast.leases");

    server.execute("ALTER DATABASE tasks SET synchronous_commit = off");
    let printed = server.doctor();
    assert_eq!((printed.code, printed.not_ok()), (Some(0), vec!["durability"]));
    server.execute("ALTER DATABASE tasks RESET synchronous_commit");

    server.execute("SELECT pg_create_physical_replication_slot('unused', true)");
    let printed = server.doctor();
    assert_eq!((printed.code, printed.not_ok()), (Some(0), vec!["slots"]));
    assert!(printed.advice("slots").contains("pg_drop_replication_slot('unused')"));
    server.execute("SELECT pg_drop_replication_slot('unused')");

    assert_eq!(doctor_on(&format!("{}?listen=off", server.url)).not_ok(), ["pooler"]);
    assert_eq!(server.doctor().not_ok(), [""; 0], "every advice helped");
}

/// D11: a listener in an open transaction, ended by the advice.
#[test]
fn stuck_listener_is_reported_and_ended_by_advice() {
    let server = Server::with(async |_| ());
    runtime().block_on(async {
        let mut stuck = PgConnection::connect(&server.url).await.unwrap();
        execute(&mut stuck, "LISTEN anything").await;
        execute(&mut stuck, "BEGIN; SELECT 1").await;
        server.execute(
            "SELECT count(pg_notify('anything', repeat('x', 7900) || n))
               FROM generate_series(1, 2000) AS n",
        );
        let printed = server.doctor();
        assert_eq!((printed.code, printed.not_ok()), (Some(0), vec!["listeners"]));
        let advice = printed.check("listeners")["next"][0]["run"][0].as_str().unwrap();
        assert!(advice.starts_with("SELECT pg_terminate_backend("), "{advice}");
        server.execute(advice);
    });
    assert_eq!(server.doctor().mark("listeners"), "ok");
}

/// K4: a failed login is reported with its cause, and never with the password.
#[test]
fn failed_login_is_reported_with_its_cause() {
    let server = Server::with(async |_| ());
    server.execute("CREATE ROLE ada LOGIN PASSWORD 'right'");
    let hba = server.cluster.query("tasks", "SHOW hba_file").unwrap();
    let rules = "host all ada 127.0.0.1/32 scram-sha-256\nhost all all 127.0.0.1/32 trust\n";
    std::fs::write(hba.trim(), rules).unwrap();
    server.execute("SELECT pg_reload_conf()");
    let wrong = server.url.replace("postgres@", "ada:hunter2@");
    // The server reads its rules when it gets to it.
    let mut printed = doctor_on(&wrong);
    for _ in 0..50 {
        if printed.check("store")["found"].is_string() {
            break;
        }
        printed = doctor_on(&wrong);
    }
    assert_eq!((printed.code, printed.mark("store")), (Some(1), "problem"));
    assert_eq!(printed.check("store")["facts"]["sqlstate"], "28P01");
    assert!(printed.advice("store").contains("wrong password"));
    assert!(!printed.json.to_string().contains("hunter2"));

    let printed = doctor_on(&server.url.replace("/tasks", "/nothing"));
    assert_eq!((printed.code, printed.mark("store")), (Some(1), "problem"));
    assert!(printed.advice("store").contains("CREATE DATABASE"), "{:#}", printed.json);

    let printed = doctor_on("postgres://postgres@127.0.0.1:1/tasks");
    assert_eq!((printed.code, printed.mark("store")), (Some(1), "problem"));
    assert!(printed.advice("store").contains("connection refused: check"), "{:#}", printed.json);
}

/// K4: a user with few privileges gets the statements that grant them.
#[test]
fn missing_privileges_are_listed_as_grants() {
    let server = Server::with(async |_| ());
    server.execute("CREATE ROLE guest LOGIN");
    let guest = server.url.replace("postgres@", "guest@");
    let printed = doctor_on(&guest);
    assert_eq!(
        (printed.code, printed.mark("rights"), printed.mark("leases")),
        (Some(1), "problem", "unknown")
    );
    let grants = printed.check("rights")["next"][0]["run"].as_array().unwrap().clone();
    for grant in grants {
        server.execute(grant.as_str().unwrap());
    }
    let printed = doctor_on(&guest);
    assert_eq!(
        (printed.code, printed.mark("rights"), printed.mark("leases")),
        (Some(0), "ok", "ok")
    );
}

/// K4: a server that accepts the connection and never responds times out.
#[test]
fn unresponsive_server_is_reported_in_time() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = silent.local_addr().unwrap().port();
    let printed = doctor_on(&format!("postgres://postgres@127.0.0.1:{port}/tasks"));
    assert_eq!((printed.code, printed.mark("store")), (Some(1), "problem"));
    assert_eq!(printed.check("store")["found"], "the database does not respond");
    assert!(printed.advice("store").contains("firewalls"), "{:#}", printed.json);
}
