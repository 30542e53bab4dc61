//! The end of a server (D13).

use std::time::Duration;

use serde_json::json;
use steadfast_server::{ServeError, Server};
use steadfast_store::Store;
use steadfast_testing::postgres::{Cluster, Settings};
use steadfast_worker::Worker;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::{client, world, world_of, world_on};

const HEAD: &str = "POST /api/v1/tasks HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
                    content-length: 24\r\nconnection: close\r\n\r\n";
const BODY: &str = r#"{"kind":"a","payload":1}"#;

/// D13: a request that is under way is answered, and no other connection is taken.
#[tokio::test]
async fn a_request_that_is_under_way_is_answered() {
    let world = world().await;
    let address = world.url.strip_prefix("http://").unwrap().to_owned();
    let mut connection = TcpStream::connect(&address).await.unwrap();
    connection.write_all(HEAD.as_bytes()).await.unwrap();
    // When another request is answered, the server has taken this connection, too.
    world.get("/stats").await.good();
    world.stop.send(()).unwrap();
    while TcpStream::connect(&address).await.is_ok() {
        tokio::task::yield_now().await;
    }
    connection.write_all(BODY.as_bytes()).await.unwrap();
    let mut answer = String::new();
    connection.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 201"), "{answer}");
    world.running.await.unwrap().unwrap();
    assert_eq!(world.store.stats().await.unwrap().pending, 1);
}

/// D13: whoever does not come to an end is cut off when the grace is over.
#[tokio::test]
async fn a_request_that_never_ends_is_cut_off() {
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

/// H1, D13: while a server drains it is not ready, and does everything else, for those who come
/// anew as well; then it ends as always.
#[tokio::test]
async fn a_server_that_drains_is_not_ready_and_goes_on() {
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
    while get("/readyz").await.unwrap().status() == 200 {}
    let refused = get("/readyz").await.unwrap();
    assert_eq!(refused.status(), 503);
    assert!(refused.text().await.unwrap().contains("urn:steadfast:stopping"));
    assert_eq!(get("/healthz").await.unwrap().status(), 200);
    let task = json!({"kind": "a", "payload": 1});
    let taken = client().post(format!("{url}/api/v1/tasks")).json(&task).send().await.unwrap();
    assert_eq!(taken.status(), 201);
    assert!(!running.is_finished());

    hurry.cancel();
    assert_eq!(following.chunk().await.unwrap(), None, "followers are let go");
    running.await.unwrap().unwrap();
    assert!(get("/healthz").await.is_err());
}

/// H1: a server drains for as long as it was told.
#[tokio::test]
async fn a_drain_has_an_end() {
    let drain = Duration::from_millis(200);
    let world = world_of(|server| server.without_worker().drain(drain)).await;
    let began = Instant::now();
    world.stop.send(()).unwrap();
    world.running.await.unwrap().unwrap();
    assert!(began.elapsed() >= drain && began.elapsed() < Duration::from_secs(10));
}

/// D13: the worker finishes what it does before the server is gone.
#[tokio::test]
async fn a_task_that_runs_is_finished() {
    let store = Store::open("sqlite::memory:").await.unwrap();
    let (begun, mut begins) = mpsc::unbounded_channel();
    let (go_on, goes_on) = mpsc::unbounded_channel::<()>();
    let goes_on = std::sync::Arc::new(tokio::sync::Mutex::new(goes_on));
    let worker = Worker::new(store.clone()).handle("slow", move |(): ()| {
        let (begun, goes_on) = (begun.clone(), goes_on.clone());
        async move {
            begun.send(()).unwrap();
            goes_on.lock().await.recv().await;
            Ok::<_, std::io::Error>("done")
        }
    });
    let server = Server::new(store.clone()).listen("127.0.0.1:0".parse().unwrap()).worker(worker);
    let bound = server.bind().await.unwrap();
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let running = tokio::spawn(bound.run_until(async {
        let _ = stopped.await;
    }));
    let task = steadfast_store::Task::new("slow", &json!(null));
    let id = store.submit(task).await.unwrap().id;
    begins.recv().await.unwrap();
    stop.send(()).unwrap();
    go_on.send(()).unwrap();
    running.await.unwrap().unwrap();
    assert_eq!(store.task(id).await.unwrap().status.name(), "completed");
}

/// H1: a worker that cannot run is no server without one: it is told.
#[tokio::test]
async fn a_worker_that_cannot_run_stops_the_server() {
    let store = Store::open("sqlite::memory:").await.unwrap();
    let worker = Worker::new(store.clone());
    let server = Server::new(store).listen("127.0.0.1:0".parse().unwrap()).worker(worker);
    let refused = server.run_until(std::future::pending()).await.unwrap_err();
    assert!(matches!(refused, ServeError::Worker(_)) && refused.to_string().contains("handler"));
}

/// D13, K4: a store that does not answer, though the audit log is to be written, does not keep a
/// server from its end.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_store_that_hangs_keeps_no_server_from_its_end() {
    let cluster = Cluster::start(Settings::default()).unwrap();
    let store = Store::open(&cluster.create_database("hangs").unwrap()).await.unwrap();
    let world = world_on(store, Server::without_worker).await;
    world.submit(json!({"kind": "a", "payload": 1})).await;
    cluster.pause().unwrap();
    let began = Instant::now();
    world.stop.send(()).unwrap();
    let ended = tokio::time::timeout(Duration::from_secs(30), world.running).await;
    cluster.resume().unwrap();
    ended.expect("it goes on for good").unwrap().unwrap();
    assert!(began.elapsed() < Duration::from_secs(20));
}
