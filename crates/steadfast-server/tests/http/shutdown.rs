//! Shutdown of the server (D13).

use std::time::Duration;

use serde_json::json;
use steadfast_server::{ServeError, Server};
use steadfast_store::Store;
use steadfast_testing::poll::eventually;
use steadfast_testing::postgres::{Cluster, Settings};
use steadfast_worker::Worker;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::running::{Running, start};
use crate::{client, world, world_of, world_on};

const HEAD: &str = "POST /api/v1/tasks HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
                    content-length: 24\r\nconnection: close\r\n\r\n";
const BODY: &str = r#"{"kind":"a","payload":1}"#;

/// D13: a request in progress is completed, and no new connection is accepted.
#[tokio::test]
async fn request_in_progress_is_completed_on_shutdown() {
    let world = world().await;
    let address = world.url.strip_prefix("http://").unwrap().to_owned();
    let mut connection = TcpStream::connect(&address).await.unwrap();
    connection.write_all(HEAD.as_bytes()).await.unwrap();
    // When another request is answered, the server has taken this connection, too.
    world.get("/stats").await.good();
    world.stop.send(()).unwrap();
    eventually("connections are refused", async || TcpStream::connect(&address).await.is_err())
        .await;
    connection.write_all(BODY.as_bytes()).await.unwrap();
    let mut answer = String::new();
    connection.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 201"), "{answer}");
    world.running.await.unwrap().unwrap();
    assert_eq!(world.store.stats().await.unwrap().pending, 1);
}

/// D13: an endless request is aborted when the grace period ends.
#[tokio::test]
async fn endless_request_is_aborted_after_grace() {
    let grace = Duration::from_millis(200);
    let world = world_of(|server| server.without_worker().grace(grace)).await;
    let address = world.url.strip_prefix("http://").unwrap().to_owned();
    let mut connection = TcpStream::connect(&address).await.unwrap();
    connection.write_all(HEAD.as_bytes()).await.unwrap();
    world.get("/stats").await.good();
    let began = Instant::now();
    world.stop.send(()).unwrap();
    world.running.await.unwrap().unwrap();
    assert!(began.elapsed() >= grace && began.elapsed() < Duration::from_secs(10));
}

/// H1, D13: a draining server is not ready but serves new clients; then it stops.
#[tokio::test]
async fn draining_server_is_not_ready_and_serves() {
    let store = Store::open("sqlite::memory:").await.unwrap();
    let server = Server::new(store).listen("127.0.0.1:0".parse().unwrap()).without_worker();
    let bound = server.drain(Duration::from_secs(600)).bind().await.unwrap();
    let url = format!("http://{}", bound.address());
    let (stop, hurry) = (CancellationToken::new(), CancellationToken::new());
    let (stopped, hurried) = (stop.clone().cancelled_owned(), hurry.clone().cancelled_owned());
    let running = tokio::spawn(bound.run_with_signals(stopped, hurried));
    // Each on a connection of its own.
    let get = |path: &str| client().get(format!("{url}{path}")).send();
    assert_eq!(get("/readyz").await.unwrap().status(), 200);
    let mut following = get("/api/v1/events").await.unwrap();

    stop.cancel();
    eventually("the server is not ready", async || get("/readyz").await.unwrap().status() != 200)
        .await;
    let rejected = get("/readyz").await.unwrap();
    assert_eq!(rejected.status(), 503);
    assert!(rejected.text().await.unwrap().contains("urn:steadfast:stopping"));
    assert_eq!(get("/healthz").await.unwrap().status(), 200);
    let task = json!({"kind": "a", "payload": 1});
    let taken = client().post(format!("{url}/api/v1/tasks")).json(&task).send().await.unwrap();
    assert_eq!(taken.status(), 201);
    assert!(!running.is_finished());

    hurry.cancel();
    assert_eq!(following.chunk().await.unwrap(), None, "the stream ends");
    running.await.unwrap().unwrap();
    assert!(get("/healthz").await.is_err());
}

/// H1: the drain takes as long as configured.
#[tokio::test]
async fn drain_ends_after_configured_time() {
    let drain = Duration::from_millis(200);
    let world = world_of(|server| server.without_worker().drain(drain)).await;
    let began = Instant::now();
    world.stop.send(()).unwrap();
    world.running.await.unwrap().unwrap();
    assert!(began.elapsed() >= drain && began.elapsed() < Duration::from_secs(10));
}

/// D13: the worker finishes its tasks before the server ends.
#[tokio::test]
async fn running_task_is_finished_on_shutdown() {
    let store = Store::open("sqlite::memory:").await.unwrap();
    let (started, mut starts) = mpsc::unbounded_channel();
    let (go_on, release) = mpsc::unbounded_channel::<()>();
    let release = std::sync::Arc::new(tokio::sync::Mutex::new(release));
    let worker = Worker::new(store.clone()).handle("slow", move |(): ()| {
        let (started, release) = (started.clone(), release.clone());
        async move {
            started.send(()).unwrap();
            release.lock().await.recv().await;
            Ok::<_, std::io::Error>("done")
        }
    });
    let Running { stop, running, .. } = start(Server::new(store.clone()).worker(worker)).await;
    let task = steadfast_store::Task::new("slow", &json!(null));
    let id = store.submit(task).await.unwrap().id;
    starts.recv().await.unwrap();
    stop.send(()).unwrap();
    go_on.send(()).unwrap();
    running.await.unwrap().unwrap();
    assert_eq!(store.task(id).await.unwrap().status.name(), "completed");
}

/// H1: a worker that cannot run stops the server with an error.
#[tokio::test]
async fn failing_worker_stops_the_server() {
    let store = Store::open("sqlite::memory:").await.unwrap();
    let worker = Worker::new(store.clone());
    let server = Server::new(store).listen("127.0.0.1:0".parse().unwrap()).worker(worker);
    let rejected = server.run_until(std::future::pending()).await.unwrap_err();
    assert!(matches!(rejected, ServeError::Worker(_)) && rejected.to_string().contains("handler"));
}

/// D13, K4: an unresponsive store does not block the shutdown, although audit entries are pending.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn hanging_store_does_not_block_shutdown() {
    let cluster = Cluster::start(Settings::default()).unwrap();
    let store = Store::open(&cluster.create_database("hangs").unwrap()).await.unwrap();
    let world = world_on(store, Server::without_worker).await;
    world.submit(json!({"kind": "a", "payload": 1})).await;
    cluster.pause().unwrap();
    let began = Instant::now();
    world.stop.send(()).unwrap();
    let ended = tokio::time::timeout(Duration::from_secs(30), world.running).await;
    cluster.resume().unwrap();
    ended.expect("the server does not stop").unwrap().unwrap();
    assert!(began.elapsed() < Duration::from_secs(20));
}
