//! Tests of the web UI over HTTP, with an in-memory store.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a test may panic"
)]

mod attention;
mod audit;
mod breakers;
mod events;
mod executions;
mod flash;
mod forms;
mod layout;
mod pages;
mod policies;
mod queues;
mod roles;
#[path = "../common/running.rs"]
mod running;
mod sessions;
mod store_outage;
#[path = "../common/stores.rs"]
mod stores;
mod task;
mod test_worker;
mod what_if;
mod workflows;

use reqwest::{Client, Method, RequestBuilder, Response, StatusCode};
use steadfast_server::{ServeError, Server};
use steadfast_store::Store;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use running::{Running, start};

/// Markup that would run a script if it were not escaped.
const HOSTILE: &str = "\"'><script>alert(1)</script><img src=x onerror=alert(1)>";

/// A running server without a worker.
struct TestApp {
    url: String,
    client: Client,
    store: Store,
    _stop: oneshot::Sender<()>,
    _running: JoinHandle<Result<(), ServeError>>,
}

async fn app() -> TestApp {
    app_with(|server| server).await
}

/// A server with a changed configuration.
async fn app_with(change: impl FnOnce(Server) -> Server) -> TestApp {
    app_on(Store::open("sqlite::memory:").await.unwrap(), change).await
}

async fn app_on(store: Store, change: impl FnOnce(Server) -> Server) -> TestApp {
    let server = change(Server::new(store.clone()).without_worker());
    let Running { address, stop, running } = start(server).await;
    let url = format!("http://{address}");
    // This client has no TLS provider of its own.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let client = Client::builder().no_proxy().redirect(reqwest::redirect::Policy::none());
    TestApp { url, client: client.build().unwrap(), store, _stop: stop, _running: running }
}

/// A response.
#[derive(Debug)]
struct TestResponse {
    status: StatusCode,
    kind: String,
    cache: String,
    cookie: String,
    location: String,
    body: String,
}

impl TestResponse {
    async fn read(response: Response) -> Self {
        let header = |name: &str| {
            let value = response.headers().get(name);
            value.map(|value| value.to_str().unwrap().to_owned()).unwrap_or_default()
        };
        let (kind, cache) = (header("content-type"), header("cache-control"));
        let (status, location) = (response.status(), header("location"));
        let cookie = header("set-cookie");
        Self { status, kind, cache, cookie, location, body: response.text().await.unwrap() }
    }

    /// The target of the redirect after a successful form.
    #[track_caller]
    fn redirect(self) -> String {
        assert_eq!(self.status, 303, "{self:?}");
        self.location
    }

    /// The body, which must be a page without inline style or script.
    #[track_caller]
    fn page(self, status: u16) -> String {
        assert_eq!(
            (self.status.as_u16(), self.kind.as_str()),
            (status, "text/html; charset=utf-8")
        );
        assert!(self.body.starts_with("<!DOCTYPE html>"), "{}", self.body);
        assert_nothing_inline(&self.body);
        self.body
    }
}

/// A strict content security policy applies: the page has no inline style or script.
#[track_caller]
fn assert_nothing_inline(html: &str) {
    assert!(!html.contains("<style"), "a style sheet in the page");
    for tag in html.split('<').skip(1).filter_map(|rest| rest.split('>').next()) {
        // Quoted values are text.
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

impl TestApp {
    fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let request = self.client.request(method, format!("{}{path}", self.url));
        request.header("accept", "text/html,application/xhtml+xml,*/*;q=0.8")
    }

    async fn send(&self, request: RequestBuilder) -> TestResponse {
        TestResponse::read(request.send().await.unwrap()).await
    }

    async fn get(&self, path: &str) -> TestResponse {
        self.send(self.request(Method::GET, path)).await
    }

    /// Submits a form like a browser on a page of this server.
    async fn post(&self, path: &str, fields: &[(&str, &str)]) -> TestResponse {
        let request = self.request(Method::POST, path).header("sec-fetch-site", "same-origin");
        let kind = "application/x-www-form-urlencoded";
        let body = serde_urlencoded::to_string(fields).unwrap();
        self.send(request.header("content-type", kind).body(body)).await
    }

    /// Requests the content without the layout, like the script does.
    async fn partial(&self, path: &str) -> TestResponse {
        self.send(self.request(Method::GET, path).header("x-steadfast-partial", "1")).await
    }
}

/// Asserts that [`HOSTILE`] is shown as text.
#[track_caller]
fn assert_escaped(html: &str) {
    assert!(html.contains("&lt;script&gt;alert(1)&lt;/script&gt;"), "{html}");
    assert!(!html.contains("<script>") && !html.contains("<img"), "{html}");
}
