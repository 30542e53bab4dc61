//! The page as a browser meets it: HTML over real TCP, with a store in memory.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a test may panic"
)]

mod frame;

use reqwest::{Client, Method, RequestBuilder, Response, StatusCode};
use steadfast_server::{ServeError, Server};
use steadfast_store::Store;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// A server that runs, and whose tasks nobody does but the test.
struct World {
    url: String,
    client: Client,
    store: Store,
    _stop: oneshot::Sender<()>,
    _running: JoinHandle<Result<(), ServeError>>,
}

async fn world() -> World {
    let store = Store::open("sqlite::memory:").await.unwrap();
    let server = Server::new(store.clone()).listen("127.0.0.1:0".parse().unwrap());
    let bound = server.without_worker().bind().await.unwrap();
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
    body: String,
}

impl Answered {
    async fn of(response: Response) -> Self {
        let header = |name: &str| {
            let value = response.headers().get(name);
            value.map(|value| value.to_str().unwrap().to_owned()).unwrap_or_default()
        };
        let (kind, cache) = (header("content-type"), header("cache-control"));
        Self { status: response.status(), kind, cache, body: response.text().await.unwrap() }
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
    let lower = html.to_lowercase();
    assert!(!lower.contains("style="), "a style in the page");
    assert!(!lower.contains("<style"), "a style sheet in the page");
    assert!(!lower.contains("javascript:"), "a script in a link");
    for event in [" onclick=", " onload=", " onerror=", " onsubmit=", " onchange="] {
        assert!(!lower.contains(event), "a script in an attribute");
    }
    for script in lower.split("<script").skip(1) {
        let (tag, rest) = script.split_once('>').unwrap();
        assert!(tag.contains("src=\"/assets/"), "a script in the page");
        assert!(rest.starts_with("</script>"), "a script in the page");
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

    /// What a page asks for when something changed.
    async fn inside(&self, path: &str) -> Answered {
        self.send(self.request(Method::GET, path).header("x-steadfast-inside", "1")).await
    }
}
