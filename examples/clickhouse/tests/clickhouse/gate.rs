//! Inserts that are not safe to repeat (J9; S3, "POST Idempotency for INSERT").

use std::sync::{Arc, Mutex};
use std::time::Duration;

use example_clickhouse::client::{Batch, Client, QueryId};
use example_clickhouse::faults::fault_proxy::InjectedFault;
use steadfast::{Effect, Reason};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;

use crate::{ROWS, Row, Scene, quick};

/// J9: a batch whose outcome cannot be looked up is not sent a second time.
#[tokio::test]
async fn batch_with_unknown_outcome_fails_rather_than_being_stored_twice() {
    let scene = Scene::with(quick()).await;
    scene.script([InjectedFault::DropAfter].into_iter().chain([InjectedFault::DropBefore; 16]));
    let batch = scene.batch();
    let end = scene.client.insert(&batch).await.unwrap_err();
    assert_eq!((end.reason(), end.attempts()), (Reason::NotSafeToRetry, 1));
    assert_eq!(scene.rows().await, ROWS);

    assert!(scene.client.settle(&batch).await.unwrap(), "when the server responds again");
    assert_eq!(scene.rows().await, ROWS);
}

/// J9: a batch that never arrived and was given up is stored when it is settled.
#[tokio::test]
async fn failed_batch_is_settled_later() {
    let scene = Scene::with(quick()).await;
    scene.always(InjectedFault::Answer(503, None));
    let batch = scene.batch();
    let end = scene.client.insert(&batch).await.unwrap_err();
    assert_eq!((end.reason(), end.attempts()), (Reason::AttemptsExhausted, 4));
    assert_eq!(scene.rows().await, 0);

    scene.script([]);
    assert!(scene.client.settle(&batch).await.unwrap());
    assert_eq!(scene.rows().await, ROWS);
}

/// I12: clocks differ, so the day before the batch was created is searched, too. The batch is not sent
/// again, so the table stays empty: the test writes only the log entry.
#[tokio::test]
async fn batch_logged_a_day_earlier_is_not_stored_again() {
    let scene = Scene::with(quick()).await;
    let batch = scene.batch();
    log_long_ago(&scene, "1, 2", batch.id(), 1).await;
    assert!(scene.client.settle(&batch).await.unwrap());
    assert_eq!(scene.rows().await, 0);
}

/// I12: a batch that the log would have is reported as missing.
#[tokio::test]
async fn batch_missing_in_the_log_is_stored() {
    let scene = Scene::with(quick()).await;
    let batch = scene.batch();
    assert_eq!(scene.client.took_effect(&batch).await, Effect::No);
    assert!(scene.client.settle(&batch).await.unwrap());
    assert_eq!(scene.rows().await, ROWS);
}

/// Writes entries of these types into the server's log: 1 is started, 2 is succeeded.
async fn log_long_ago(scene: &Scene, types: &str, id: &QueryId, days: u32) {
    scene.observer.query("SYSTEM FLUSH LOGS").await.unwrap();
    let lines = format!(
        "INSERT INTO system.query_log (type, event_date, event_time, query_id) \
         SELECT arrayJoin([{types}]), today() - {days}, now() - {days} * 86400, '{id}'"
    );
    scene.observer.query(&lines).await.unwrap();
}

/// S3: SELECT is idempotent, so it is simply sent again.
#[tokio::test]
async fn query_with_unknown_outcome_is_resent() {
    let scene = Scene::with(quick()).await;
    scene.script([InjectedFault::DropAfter, InjectedFault::CutAnswer]);
    let answer = scene.client.query("SELECT 1").await.unwrap();
    assert_eq!((answer.trim(), scene.proxy.requests()), ("1", 3));
}

/// S3: "Generate unique query_id on first attempt, reuse on retries."
#[tokio::test]
async fn attempts_of_a_batch_share_a_unique_query_id() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let client = Client::new(listener.local_addr().unwrap(), quick()).unwrap();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let refusing = tokio::spawn(refuse(listener, Arc::clone(&seen)));
    let batches = [(); 2].map(|()| Batch::new("anywhere", &[Row { row: 1 }]).unwrap());
    for batch in &batches {
        client.insert(batch).await.unwrap_err();
    }
    refusing.abort();
    let expected: Vec<_> =
        batches.iter().flat_map(|batch| [(); 4].map(|()| batch.id().to_string())).collect();
    assert_eq!(*seen.lock().unwrap(), expected);
    assert_ne!(batches[0].id(), batches[1].id());
}

/// J9, S3: ClickHouse rejects a second query with the id of a running one (its code 216). The outcome
/// of the batch is unknown until the running one has ended.
#[tokio::test]
async fn batch_with_a_running_attempt_is_not_resent() {
    let scene = Scene::with(quick()).await;
    let batch = scene.batch();
    let earlier = Upload::begin(&scene.table, batch.id()).await;
    let begun = async { while !is_running(&scene, &batch).await {} };
    timeout(Duration::from_secs(60), begun).await.unwrap();

    let end = scene.client.insert(&batch).await.unwrap_err();
    assert_eq!((end.reason(), end.attempts()), (Reason::NotSafeToRetry, 1));
    let said = end.error().unwrap().to_string();
    assert!(said.contains("Code: 216"), "{said}");
    assert_eq!(scene.client.took_effect(&batch).await, Effect::Unknown);
    assert!(!scene.client.settle(&batch).await.unwrap());

    earlier.end().await;
    assert_eq!(scene.client.took_effect(&batch).await, Effect::Yes(()));
    assert!(scene.client.settle(&batch).await.unwrap());
    assert_eq!(scene.rows().await, ROWS);
}

async fn is_running(scene: &Scene, batch: &Batch) -> bool {
    let id = batch.id();
    let running = format!("SELECT count() FROM system.processes WHERE query_id = '{id}'");
    scene.observer.query(&running).await.unwrap().trim() == "1"
}

/// A running insert, which ends on request.
struct Upload {
    stream: TcpStream,
    rest: String,
}

impl Upload {
    async fn begin(table: &str, id: &QueryId) -> Self {
        // The server starts when it has a megabyte; it ignores whitespace between rows.
        let first = format!("{{\"row\":0}}{}", " ".repeat(2_000_000));
        let rest: String = (1..ROWS).map(|row| format!("{{\"row\":{row}}}")).collect();
        let head = format!(
            "POST /?query_id={id}&log_queries=1&query=INSERT%20INTO%20{table}%20FORMAT%20JSONEachRow \
             HTTP/1.0\r\nContent-Length: {}\r\n\r\n",
            first.len() + rest.len()
        );
        let mut stream = TcpStream::connect(crate::SERVER.address()).await.unwrap();
        stream.write_all(head.as_bytes()).await.unwrap();
        stream.write_all(first.as_bytes()).await.unwrap();
        Self { stream, rest }
    }

    async fn end(mut self) {
        self.stream.write_all(self.rest.as_bytes()).await.unwrap();
        let mut answer = String::new();
        self.stream.read_to_string(&mut answer).await.unwrap();
        assert!(answer.starts_with("HTTP/1.0 200"), "{answer}");
    }
}

/// Rejects every request, and records its query_id.
async fn refuse(listener: TcpListener, seen: Arc<Mutex<Vec<String>>>) {
    loop {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut request = vec![0; 10_000];
        let length = stream.read(&mut request).await.unwrap();
        let request = String::from_utf8_lossy(&request[..length]).into_owned();
        let (_, rest) = request.split_once("query_id=").unwrap();
        seen.lock().unwrap().push(rest.split(['&', ' ']).next().unwrap().to_owned());
        let answer = b"HTTP/1.1 503 Busy\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
        stream.write_all(answer).await.unwrap();
        // Nothing unread, or the response would be lost with the connection.
        stream.shutdown().await.unwrap();
        let _ = stream.read_to_end(&mut Vec::new()).await;
    }
}
