//! The page as a browser meets it: HTML over real TCP, with a store in memory.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a test may panic"
)]

mod attention;
mod audit;
mod away;
mod breakers;
mod done;
mod events;
mod executions;
mod forms;
mod frame;
mod hands;
mod pages;
mod policies;
mod queues;
mod roles;
mod sessions;
#[path = "../common/stores.rs"]
mod stores;
mod task;
mod what_if;
mod workflows;

use reqwest::{Client, Method, RequestBuilder, Response, StatusCode};
use steadfast_server::{ServeError, Server};
use steadfast_store::Store;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// What would be a script if it were not shown as text.
const HOSTILE: &str = "\"'><script>alert(1)</script><img src=x onerror=alert(1)>";

/// A server that runs, and whose tasks nobody does but the test.
struct World {
    url: String,
    client: Client,
    store: Store,
    _stop: oneshot::Sender<()>,
    _running: JoinHandle<Result<(), ServeError>>,
}

async fn world() -> World {
    world_of(|server| server).await
}

/// The same, changed before it runs.
async fn world_of(change: impl FnOnce(Server) -> Server) -> World {
    world_on(Store::open("sqlite::memory:").await.unwrap(), change).await
}

async fn world_on(store: Store, change: impl FnOnce(Server) -> Server) -> World {
    let server = Server::new(store.clone()).listen("127.0.0.1:0".parse().unwrap());
    let bound = change(server.without_worker()).bind().await.unwrap();
    let url = format!("http://{}", bound.address());
    let (stop, stopped) = oneshot::channel();
    let running = tokio::spawn(bound.run_until(async {
        let _ = stopped.await;
    }));
    // The worker's client has TLS and brings its own; this one has to be given some, once.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let client = Client::builder().no_proxy().redirect(reqwest::redirect::Policy::none());
    World { url, client: client.build().unwrap(), store, _stop: stop, _running: running }
}

/// What was answered.
#[derive(Debug)]
struct Answered {
    status: StatusCode,
    kind: String,
    cache: String,
    cookie: String,
    location: String,
    body: String,
}

impl Answered {
    async fn of(response: Response) -> Self {
        let header = |name: &str| {
            let value = response.headers().get(name);
            value.map(|value| value.to_str().unwrap().to_owned()).unwrap_or_default()
        };
        let (kind, cache) = (header("content-type"), header("cache-control"));
        let (status, location) = (response.status(), header("location"));
        let cookie = header("set-cookie");
        Self { status, kind, cache, cookie, location, body: response.text().await.unwrap() }
    }

    /// Where a form that did what it says leads.
    #[track_caller]
    fn redirect(self) -> String {
        assert_eq!(self.status, 303, "{self:?}");
        self.location
    }

    /// A page that is as all pages must be.
    #[track_caller]
    fn page(self, status: u16) -> String {
        assert_eq!(
            (self.status.as_u16(), self.kind.as_str()),
            (status, "text/html; charset=utf-8")
        );
        assert!(self.body.starts_with("<!DOCTYPE html>"), "{}", self.body);
        has_nothing_inline(&self.body);
        self.body
    }
}

/// The strictest policy of a browser holds: no style and no script stands in the page itself.
#[track_caller]
fn has_nothing_inline(html: &str) {
    assert!(!html.contains("<style"), "a style sheet in the page");
    for tag in html.split('<').skip(1).filter_map(|rest| rest.split('>').next()) {
        // What is between quotes is text.
        let names = tag.split('"').step_by(2).collect::<String>().to_lowercase();
        assert!(!names.contains(" style="), "a style in {tag}");
        assert!(!names.contains(" on"), "a script in {tag}");
        assert!(!tag.to_lowercase().contains("=\"javascript:"), "a script in {tag}");
        assert!(!tag.starts_with("script") || tag.contains("src=\"/assets/"), "a script: {tag}");
    }
    for script in html.split("<script").skip(1) {
        assert!(script.split_once('>').unwrap().1.starts_with("</script>"), "a script in the page");
    }
}

impl World {
    fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let request = self.client.request(method, format!("{}{path}", self.url));
        request.header("accept", "text/html,application/xhtml+xml,*/*;q=0.8")
    }

    async fn send(&self, request: RequestBuilder) -> Answered {
        Answered::of(request.send().await.unwrap()).await
    }

    async fn get(&self, path: &str) -> Answered {
        self.send(self.request(Method::GET, path)).await
    }

    /// Sends a form, as a browser does that shows a page of this server.
    async fn post(&self, path: &str, fields: &[(&str, &str)]) -> Answered {
        let request = self.request(Method::POST, path).header("sec-fetch-site", "same-origin");
        let kind = "application/x-www-form-urlencoded";
        let body = serde_urlencoded::to_string(fields).unwrap();
        self.send(request.header("content-type", kind).body(body)).await
    }

    /// What a page asks for when something changed.
    async fn inside(&self, path: &str) -> Answered {
        self.send(self.request(Method::GET, path).header("x-steadfast-inside", "1")).await
    }
}

/// A page that shows what is hostile, without harm.
#[track_caller]
fn shows_without_harm(html: &str) {
    assert!(html.contains("&lt;script&gt;alert(1)&lt;/script&gt;"), "{html}");
    assert!(!html.contains("<script>") && !html.contains("<img"), "{html}");
}
