//! API tests against a real server over TCP, with an in-memory store.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a test may panic"
)]

mod claims;
mod control;
mod events;
mod health;
mod invalid_input;
mod metrics_summary;
mod openapi;
mod policies;
mod python_worker;
mod reads;
mod request_ids;
mod responses;
#[path = "../common/running.rs"]
mod running;
mod sessions;
mod shutdown;
mod store_errors;
#[path = "../common/stores.rs"]
mod stores;
mod submit;
mod task_sessions;
mod workers;
mod workflows;

use std::sync::Arc;

use reqwest::{Client, Method, RequestBuilder, Response, StatusCode};
use serde_json::Value;
use steadfast::file::{Format, Policies, Source};
use steadfast_server::{ServeError, Server};
use steadfast_store::Store;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use running::{Running, start};

/// A policy file with policies and a mapping.
const FILE: &str = "
version: '1.1.0'
policies:
  calls: {max_attempts: 7, base_delay: 1h, max_delay: 2h, backoff_type: fixed}
  twice: {max_attempts: 2, backoff_type: immediate}
subsystem_mappings:
  shop: {checkout: {default: calls}}
";

/// A running server.
struct World {
    url: String,
    client: Client,
    store: Store,
    stop: oneshot::Sender<()>,
    running: JoinHandle<Result<(), ServeError>>,
}

/// A server without a worker: the test processes the tasks.
async fn world() -> World {
    world_of(Server::without_worker).await
}

async fn world_of(change: impl FnOnce(Server) -> Server) -> World {
    world_on(Store::open("sqlite::memory:").await.unwrap(), change).await
}

async fn world_on(store: Store, change: impl FnOnce(Server) -> Server) -> World {
    let policies = Policies::parse(&Source::new("steadfast.yaml", FILE), Format::Yaml).unwrap();
    let server = change(Server::new(store.clone()).policies(Arc::new(policies)));
    let Running { address, stop, running } = start(server).await;
    World { url: format!("http://{address}"), client: client(), store, stop, running }
}

fn client() -> Client {
    // The worker's client has TLS and brings its own; this one has to be given some, once.
    let _ = rustls::crypto::ring::default_provider().install_default();
    Client::builder().no_proxy().build().unwrap()
}

/// What was answered.
#[derive(Debug)]
struct Answered {
    status: StatusCode,
    kind: String,
    body: Value,
}

impl Answered {
    async fn of(response: Response) -> Self {
        let status = response.status();
        let kind = response.headers().get("content-type").map(|it| it.to_str().unwrap().to_owned());
        let text = response.text().await.unwrap();
        let body = if text.is_empty() { Value::Null } else { serde_json::from_str(&text).unwrap() };
        Self { status, kind: kind.unwrap_or_default(), body }
    }

    /// The body of a successful response.
    #[track_caller]
    fn good(self) -> Value {
        assert!(self.status.is_success(), "{self:?}");
        self.body
    }

    /// The problem of an error response.
    #[track_caller]
    fn problem(self, status: u16) -> Value {
        assert_eq!(self.status, status, "{self:?}");
        assert_eq!(self.kind, "application/problem+json", "{self:?}");
        assert_eq!(self.body["status"], status, "{self:?}");
        for field in ["type", "title", "detail", "next"] {
            assert!(self.body[field].is_string(), "{field}: {self:?}");
        }
        self.body
    }
}

impl World {
    fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.client.request(method, format!("{}{path}", self.url))
    }

    async fn send(&self, request: RequestBuilder) -> Answered {
        Answered::of(request.send().await.unwrap()).await
    }

    async fn get(&self, path: &str) -> Answered {
        self.send(self.request(Method::GET, &format!("/api/v1{path}"))).await
    }

    /// A request without a body.
    async fn post(&self, path: &str) -> Answered {
        self.send(self.request(Method::POST, &format!("/api/v1{path}"))).await
    }

    async fn post_json(&self, path: &str, body: Value) -> Answered {
        self.send(self.request(Method::POST, &format!("/api/v1{path}")).json(&body)).await
    }

    /// Sends a text as JSON.
    async fn post_text(&self, path: &str, text: impl Into<reqwest::Body>) -> Answered {
        let request = self.request(Method::POST, &format!("/api/v1{path}"));
        self.send(request.header("content-type", "application/json").body(text)).await
    }

    async fn submit(&self, body: Value) -> String {
        let task = self.post_json("/tasks", body).await.good();
        task["id"].as_str().unwrap().to_owned()
    }

    /// Claims the only due task: its id and fencing token.
    async fn claim(&self) -> (String, i64) {
        let claimed = self.post_json("/claims", serde_json::json!({"worker": "w1"})).await.good();
        let claim = &claimed["claims"][0];
        (claim["id"].as_str().unwrap().to_owned(), claim["version"].as_i64().unwrap())
    }
}
