//! A server with all kinds of activity: tasks that complete, are retried and fail, a lost worker, a
//! breaker, a budget, recorded sessions, and secrets in all inputs.

use std::sync::OnceLock;
use std::time::Duration;

use reqwest::{Client, Response};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use steadfast::observe::Recorder;
use steadfast::{Policy, retry};
use steadfast_server::Server;
use steadfast_store::{Store, StoreSink};
use steadfast_worker::handlers::{Http, Targets};
use steadfast_worker::{Maintenance, Worker};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::time::timeout;

use crate::running::{Running, start};

/// What is in everything that must not be seen.
pub(crate) const SECRET: &str = "s3cr3t";
/// A trace of the client.
pub(crate) const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";
/// What the task that is retried belongs to.
pub(crate) const TRACEPARENT: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
/// What the server's requests are called.
pub(crate) const REQUEST: &str = "observed-7";

/// What could be seen.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Observed {
    pub(crate) metrics: String,
    pub(crate) events: Value,
    pub(crate) sessions: Value,
    pub(crate) task: Value,
    pub(crate) problem: Value,
}

/// What was observed in one run, shared by all tests of this process because breakers are global.
pub(crate) fn observed() -> &'static Observed {
    static OBSERVED: OnceLock<Observed> = OnceLock::new();
    OBSERVED.get_or_init(|| Runtime::new().unwrap().block_on(run()))
}

/// Runs the activity and observes it.
pub(crate) async fn run() -> Observed {
    let store = Store::open("sqlite::memory:").await.unwrap();
    let server = Server::new(store.clone()).worker(worker(&store));
    let Running { address, stop, running } = start(server).await;
    let world = World { url: format!("http://{address}"), client: client() };

    let mut events = Events::follow(&world).await;
    world.submit_unclaimed_task().await;
    let failing = world.fail_a_call(&mut events).await;
    world.complete_a_call(&mut events).await;
    // Caches a snapshot before the next lease expires.
    world.json("/stats").await;
    world.lose_a_worker(&mut events).await;
    record_sessions(&store).await;
    let observed = world.observe(&failing).await;
    drop(events);
    stop.send(()).unwrap();
    running.await.unwrap().unwrap();
    observed
}

fn worker(store: &Store) -> Worker {
    let http = Http::new(Targets::new(["127.0.0.1".parse().unwrap()])).unwrap();
    let maintenance = Maintenance::default().reclaim_every(Duration::from_millis(100));
    Worker::new(store.clone()).queues(["default"]).http(http).maintenance(maintenance)
}

fn client() -> Client {
    // The worker's client has TLS and brings its own; this one has to be given some, once.
    let _ = rustls::crypto::ring::default_provider().install_default();
    Client::builder().no_proxy().build().unwrap()
}

/// A target that answers every call with this status and a secret.
async fn answering(status: &'static str) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            let _ = stream.read(&mut [0; 4096]).await;
            let body = format!("{{\"password\": \"{SECRET}-answer\"}}");
            let answer = format!(
                "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\
                 connection: close\r\n\r\n{body}",
                body.len()
            );
            let _ = stream.write_all(answer.as_bytes()).await;
        }
    });
    port
}

async fn record_sessions(store: &Store) {
    let (sink, keeper) = StoreSink::new(store.clone());
    let policy = Policy::immediate().id("in-process").max_attempts(2).build().unwrap();
    let down = || {
        let words = format!("cannot reach postgres://app:{SECRET}-url@db/shop?password={SECRET}");
        Err::<(), _>(std::io::Error::new(std::io::ErrorKind::ConnectionRefused, words))
    };
    let recorder = Recorder::new(&sink).context("password", format!("{SECRET}-context"));
    retry(&policy, down).named("shop.pay").instrument(recorder).call().unwrap_err();
    drop(sink);
    keeper.run().await;
}

struct World {
    url: String,
    client: Client,
}

impl World {
    async fn post(&self, path: &str, body: Value) -> Value {
        let request = self.client.post(format!("{}/api/v1{path}", self.url)).json(&body);
        let response = request.header("x-request-id", REQUEST).send().await.unwrap();
        assert!(response.status().is_success(), "{path}: {:?}", response.text().await);
        let text = response.text().await.unwrap();
        if text.is_empty() { Value::Null } else { serde_json::from_str(&text).unwrap() }
    }

    async fn text(&self, path: &str) -> String {
        let request = self.client.get(format!("{}{path}", self.url));
        let request = request.header("accept", "application/json");
        let request = request.header("x-request-id", REQUEST);
        request.send().await.unwrap().text().await.unwrap()
    }

    async fn json(&self, path: &str) -> Value {
        serde_json::from_str(&self.text(&format!("/api/v1{path}")).await).unwrap()
    }

    /// A task that is not claimed.
    async fn submit_unclaimed_task(&self) {
        let task = json!({"kind": "left", "queue": "left", "payload": 1});
        self.post("/tasks", task).await;
    }

    /// A call that fails twice, under guards.
    async fn fail_a_call(&self, events: &mut Events) -> String {
        let port = answering("503 Service Unavailable").await;
        let policy = json!({
            "id": "guarded", "max_attempts": 2, "backoff_type": "immediate",
            "enable_circuit_breaker": true, "circuit_breaker_threshold": 2,
            "budget": {"retries_per_second": 100},
        });
        let task = json!({
            "kind": "http", "policy": policy, "correlation_id": TRACEPARENT,
            "payload": {
                "method": "POST",
                "url": format!("http://app:{SECRET}-user@127.0.0.1:{port}/hook?token={SECRET}-query"),
                "headers": {"Authorization": format!("Bearer {SECRET}-bearer"), "X-Api-Key": format!("{SECRET}-key")},
                "body": {"password": format!("{SECRET}-body")},
            },
        });
        let id = self.post("/tasks", task).await["id"].as_str().unwrap().to_owned();
        events.until("retry_failure", &id).await;
        events.until("circuit_breaker_opened", "").await;
        id
    }

    /// A call that succeeds after a failure reported by another worker.
    async fn complete_a_call(&self, events: &mut Events) {
        let port = answering("200 OK").await;
        let task = json!({
            "kind": "http", "policy": {"id": "plain", "max_attempts": 3, "backoff_type": "immediate"},
            "payload": {"url": format!("http://127.0.0.1:{port}/")},
            "first_fault": {"http_status": 503, "message": format!("password={SECRET}-fault")},
        });
        let id = self.post("/tasks", task).await["id"].as_str().unwrap().to_owned();
        events.until("retry_success", &id).await;
    }

    /// An external worker that claims a task and disappears.
    async fn lose_a_worker(&self, events: &mut Events) {
        let task = json!({"kind": "elsewhere", "queue": "elsewhere", "payload": 1});
        let id = self.post("/tasks", task).await["id"].as_str().unwrap().to_owned();
        let claim = json!({"worker": "w1", "queues": ["elsewhere"], "lease": "1s"});
        self.post("/claims", claim).await;
        events.until("lease_lost", &id).await;
    }

    async fn observe(&self, failing: &str) -> Observed {
        let problem = self.json(&format!("/tasks?password={SECRET}-parameter")).await;
        Observed {
            metrics: self.text("/metrics").await,
            events: self.json("/events").await,
            sessions: self.json("/sessions").await,
            task: self.json(&format!("/tasks/{failing}")).await,
            problem,
        }
    }
}

/// The server's events, as they happen.
struct Events {
    response: Response,
    read: String,
}

impl Events {
    async fn follow(world: &World) -> Self {
        let request = world.client.get(format!("{}/api/v1/events", world.url));
        let response = request.header("accept", "text/event-stream").send().await.unwrap();
        Self { response, read: String::new() }
    }

    /// Reads until an event of this type and session arrives; of any session if it is empty.
    async fn until(&mut self, event_type: &str, session: &str) {
        let is_it = |line: &str| line.contains(event_type) && line.contains(session);
        while !self.read.lines().any(is_it) {
            let chunk = timeout(Duration::from_secs(20), self.response.chunk());
            let chunk = chunk.await.unwrap_or_else(|_| panic!("no {event_type} in {}", self.read));
            self.read.push_str(str::from_utf8(&chunk.unwrap().unwrap()).unwrap());
        }
    }
}
