//! S3's table of retried errors, each row with the real error where possible.

use std::time::Duration;

use example_clickhouse::client::{Batch, Client, Error, Settings};
use example_clickhouse::faults::fault_proxy::InjectedFault;
use steadfast::decide::PlannedAttempt;
use steadfast::drive::FailedAttempt;
use steadfast::judge::{Rules, judge};
use steadfast::{Class, Fault, Kind, RetryError};
use tokio::net::{TcpListener, TcpSocket};

use crate::{ROWS, Scene, once, quick};

/// S3: `ConnectionError`: network transient.
#[tokio::test]
async fn refused_connection_is_retryable() {
    let closed_port = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let end = Client::new(closed_port, quick()).unwrap().query("SELECT 1").await.unwrap_err();
    assert_eq!(end.attempts(), 4);
    let failure = last(&end);
    assert_eq!(failure.fault.kind, Some(Kind::ConnectionRefused));
    assert_eq!(failure.class, Class::Retryable);
}

/// S3: `ConnectionTimeout`: server overloaded. Nothing was sent, so the outcome is known.
#[tokio::test]
async fn connect_timeout_is_retryable() {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let full = socket.listen(1).unwrap();
    let address = full.local_addr().unwrap();
    let soon = Duration::from_millis(100);
    let waiting: Vec<_> =
        (0..100).map_while(|_| std::net::TcpStream::connect_timeout(&address, soon).ok()).collect();
    assert!(waiting.len() < 100, "the backlog is not full");

    let end = Client::new(address, once()).unwrap().query("SELECT 1").await.unwrap_err();
    let failure = last(&end);
    assert_eq!(failure.fault.kind, Some(Kind::Timeout), "{:?}", failure.fault);
    assert_eq!(failure.class, Class::Retryable);
}

/// S3: `PoolTimeout`: pool exhausted temporarily.
#[tokio::test]
async fn exhausted_pool_is_retryable() {
    let scene = Scene::with(Settings { connections: 1, ..once() }).await;
    let held = scene.client.pool().checkout().await.unwrap();
    let end = scene.client.query("SELECT 1").await.unwrap_err();
    assert_eq!(last(&end).fault.kind, Some(Kind::PoolTimeout));
    assert_eq!(last(&end).class, Class::Retryable);

    scene.client.pool().checkin(held, None);
    scene.client.query("SELECT 1").await.unwrap();
}

/// S3: HTTP 500-599 and 429 yes, 400-499 no. J6: 429, and 503 with `Retry-After`, are rate limited.
#[tokio::test]
async fn response_is_classified_by_its_status() {
    let scene = Scene::with(once()).await;
    for (status, wait, class) in [
        (500, None, Class::Retryable),
        (502, None, Class::Retryable),
        (503, None, Class::Retryable),
        (504, None, Class::Retryable),
        (408, None, Class::Retryable),
        (429, None, Class::RateLimited),
        (400, None, Class::Final),
        (401, None, Class::Final),
        (403, None, Class::Final),
        (404, None, Class::Final),
        (413, None, Class::Final),
    ] {
        scene.script([InjectedFault::Answer(status, wait)]);
        let end = scene.client.query("SELECT 1").await.unwrap_err();
        assert_eq!(last(&end).class, class, "{status}");
    }
    for status in [429, 503] {
        scene.script([InjectedFault::Answer(status, Some(7200))]);
        let end = scene.client.query("SELECT 1").await.unwrap_err();
        assert_eq!(last(&end).class, Class::RateLimited, "{status}");
    }
}

/// S3: `SyntaxError` and `QueryError`: no. The errors are from the real server.
#[tokio::test]
async fn invalid_statement_is_final() {
    let scene = Scene::with(quick()).await;
    for (statement, kind, code) in [
        ("SELEC 1".to_owned(), Kind::Syntax, 62),
        ("SELECT 1 FROM nowhere".to_owned(), Kind::Query, 60),
        (format!("SELECT nothing FROM {}", scene.table), Kind::Query, 47),
        ("SELECT nofunction(1)".to_owned(), Kind::Query, 46),
    ] {
        let end = scene.client.query(&statement).await.unwrap_err();
        assert_eq!((end.attempts(), last(&end).class), (1, Class::Final), "{statement}");
        assert_eq!(last(&end).fault.kind, Some(kind), "{statement}");
        let Some(Error::Refused(refusal)) = end.error() else { panic!("{end:?}") };
        assert_eq!(refusal.code(), Some(code), "{statement}");
    }
}

/// J7: invalid data is final, although ClickHouse responds with 500; and no row of the batch is
/// stored, although its first rows are valid.
#[tokio::test]
async fn batch_with_an_invalid_row_is_final_and_stores_nothing() {
    let scene = Scene::with(quick()).await;
    let good = serde_json::json!({"row": 1});
    let bad = serde_json::json!({"rwo": 2});
    let batch = Batch::new(&scene.table, &[good, bad]).unwrap();
    let end = scene.client.insert(&batch).await.unwrap_err();
    assert_eq!((end.attempts(), last(&end).class), (1, Class::Final));
    assert_eq!(last(&end).fault.http_status, Some(500));
    assert_eq!(scene.rows().await, 0);

    scene.client.insert(&scene.batch()).await.unwrap();
    assert_eq!(scene.rows().await, ROWS);
}

/// S3: `SSLError`: maybe; J5 says which. The client has no TLS, so these are facts only.
#[test]
fn tls_errors_are_classified() {
    for (kind, class) in [
        (Kind::TlsWouldBlock, Class::Retryable),
        (Kind::TlsCertificate, Class::Final),
        (Kind::TlsHostname, Class::Final),
        (Kind::TlsProtocol, Class::Final),
    ] {
        assert_eq!(judge(&Rules::DEFAULT, &Fault::of(kind)).class(), class, "{kind}");
    }
}

/// S3's timeline: 1.0, 1.6, 2.56, 4.1, 6.55 … 120 s, each from half of it.
#[test]
fn default_settings_have_the_documented_delays() {
    let policy = Settings::default().requests.max_attempts(17).build().unwrap();
    let plan: Vec<PlannedAttempt> = policy.plan().collect();
    let seconds = |duration: Duration| (duration.as_secs_f64() * 100.0).round() / 100.0;
    let waits: Vec<_> = plan[1..=5].iter().map(|at| (seconds(at.min), seconds(at.max))).collect();
    assert_eq!(waits, [(0.5, 1.0), (0.8, 1.6), (1.28, 2.56), (2.05, 4.1), (3.28, 6.55)]);
    assert_eq!((seconds(plan[16].min), seconds(plan[16].max)), (60.0, 120.0));
}

fn last(end: &RetryError<Error>) -> &FailedAttempt {
    end.gave_up().failures.last().unwrap()
}
