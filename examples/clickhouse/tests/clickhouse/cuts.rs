//! Batches are stored once, wherever the connection is cut (S3, "Gotchas" 1, 2 and 4; J9, I12).

use std::time::Duration;

use example_clickhouse::client::{Batch, Client, Settings};
use example_clickhouse::faults::fault_proxy::{FaultPlan, InjectedFault, Proxy};
use steadfast::{Class, Policy};
use steadfast_testing::clickhouse::Server;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::{ROWS, Row, Scene, quick};

/// S3: the request did not reach the server, so it is sent again.
#[tokio::test]
async fn batch_dropped_before_the_server_is_resent() {
    for fault in [InjectedFault::DropBefore, InjectedFault::CutRequest] {
        let scene = Scene::with(quick()).await;
        scene.script([fault]);
        let report = scene.client.insert(&scene.batch()).await.unwrap();
        assert_eq!((report.attempts, scene.rows().await), (2, ROWS), "{fault:?}");
        assert_eq!(report.failures[0].class, Class::Retryable, "{fault:?}: it was looked up");
    }
}

/// I12: the log shows that the batch is stored, so it is not sent again.
#[tokio::test]
async fn batch_with_a_lost_response_is_found_in_the_log() {
    for fault in [InjectedFault::DropAfter, InjectedFault::CutAnswer] {
        let scene = Scene::with(quick()).await;
        scene.script([fault]);
        let report = scene.client.insert(&scene.batch()).await.unwrap();
        assert_eq!((report.attempts, scene.rows().await), (1, ROWS), "{fault:?}");
    }
}

/// S3: a timeout during the response; the query may have been executed.
#[tokio::test]
async fn batch_with_a_slow_response_is_found_in_the_log() {
    let scene = Scene::with(hasty()).await;
    scene.script([InjectedFault::SlowAnswer(Duration::from_secs(60))]);
    let report = scene.client.insert(&scene.batch()).await.unwrap();
    assert_eq!((report.attempts, scene.rows().await), (1, ROWS));
}

/// I12: a batch that is not in the log yet may still be in transit.
#[tokio::test]
async fn batch_arriving_after_the_timeout_is_not_resent() {
    let scene = Scene::with(hasty()).await;
    scene.script([InjectedFault::LateRequest(Duration::from_millis(1200))]);
    let report = scene.client.insert(&scene.batch()).await.unwrap();
    assert_eq!((report.attempts, scene.rows().await), (1, ROWS));
}

/// I12: lookups get faults as well.
#[tokio::test]
async fn log_lookup_survives_a_connection_loss() {
    let scene = Scene::with(quick()).await;
    scene.script([
        InjectedFault::DropAfter,
        InjectedFault::DropBefore,
        InjectedFault::Answer(503, None),
        InjectedFault::None,
        InjectedFault::CutAnswer,
        InjectedFault::DropAfter,
    ]);
    let report = scene.client.insert(&scene.batch()).await.unwrap();
    assert_eq!((report.attempts, scene.rows().await), (1, ROWS));
}

/// I12: a server without a logged query has no log table.
#[tokio::test]
async fn batch_is_not_found_in_a_missing_log() {
    let server = Server::start().unwrap();
    unlogged(&server, "CREATE TABLE first (row UInt32) ENGINE = MergeTree ORDER BY row").await;
    while unlogged(&server, "SELECT uptime() > 1").await != "1" {}
    let proxy =
        Proxy::start(server.address(), FaultPlan::script([InjectedFault::DropBefore])).await;
    let proxy = proxy.unwrap();
    let client = Client::new(proxy.address(), quick()).unwrap();
    let report = client.insert(&Batch::new("first", &[Row { row: 1 }]).unwrap()).await.unwrap();
    assert_eq!(report.attempts, 2);
    assert_eq!(client.query("SELECT count() FROM first").await.unwrap().trim(), "1");
}

/// Without the setting that the client always sends.
async fn unlogged(server: &Server, statement: &str) -> String {
    let length = statement.len();
    let request = format!("POST / HTTP/1.0\r\nContent-Length: {length}\r\n\r\n{statement}");
    let mut stream = TcpStream::connect(server.address()).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.0 200"), "{answer}");
    answer.lines().last().unwrap_or_default().to_owned()
}

/// S3: HTTP 503 and 429 are responses, so the outcome is known without a lookup.
#[tokio::test]
async fn rejected_batch_is_resent_without_a_lookup() {
    for fault in [InjectedFault::Answer(503, None), InjectedFault::Answer(429, None)] {
        let scene = Scene::with(quick()).await;
        scene.script([fault]);
        let report = scene.client.insert(&scene.batch()).await.unwrap();
        assert_eq!((report.attempts, scene.proxy.requests()), (2, 2), "{fault:?}");
        assert_eq!(scene.rows().await, ROWS);
    }
}

/// J2, J6: a requested wait is honoured, and the next call is an attempt like any other.
#[tokio::test]
async fn requested_wait_is_honoured() {
    let scene = Scene::with(quick()).await;
    scene.script([InjectedFault::Answer(429, Some(1))]);
    let report = scene.client.insert(&scene.batch()).await.unwrap();
    assert_eq!((report.attempts, report.rate_limit_waits), (2, 0));
    assert!(report.elapsed >= Duration::from_secs(1));
    assert_eq!(scene.rows().await, ROWS);
}

/// Attempts with a short timeout, and lookups over a longer time than any delayed request.
fn hasty() -> Settings {
    Settings {
        requests: Policy::fixed(Duration::from_millis(20))
            .max_attempts(3)
            .attempt_timeout(Duration::from_millis(500)),
        looks: Policy::fixed(Duration::from_millis(250)).max_attempts(40),
        ..quick()
    }
}
