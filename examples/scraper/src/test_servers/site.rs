//! A site with faults, selected by the name of the page.
//!
//! | page | the first time | then |
//! |---|---|---|
//! | `slow` | never answers | fine |
//! | `busy` | 503, and so the second time | fine |
//! | `limited` | 429, `Retry-After: 1` | fine |
//! | `dropped` | ends the connection in the middle of the page | fine |
//! | `stuck` | fine, but reading its state times out | fine |
//! | `gone` | 404 | 404 |
//!
//! Anything else is fine. `busy-2` is another busy page. The second 503 can be [held back](Site::hold)
//! until something else has happened.

use std::collections::HashMap;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use futures_util::{StreamExt, stream};
use tokio::net::TcpListener;
use tokio::sync::watch;

/// A site on the loopback interface.
pub struct Site {
    address: SocketAddr,
    held: watch::Sender<bool>,
}

/// The number of requests per page, and whether responses are held back.
#[derive(Clone)]
struct Visits {
    counts: Arc<Mutex<HashMap<String, u32>>>,
    held: watch::Receiver<bool>,
}

impl Site {
    /// Starts the site.
    pub async fn open() -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let (held, is_held) = watch::channel(false);
        let visits = Visits { counts: Arc::default(), held: is_held };
        let router = Router::new().route("/{page}", get(page)).with_state(visits);
        tokio::spawn(async { axum::serve(listener, router).await });
        Ok(Self { address, held })
    }

    /// Holds back the second response of busy pages, or releases them.
    pub fn hold(&self, is_held: bool) {
        self.held.send_replace(is_held);
    }

    /// The URL of a page.
    pub fn url(&self, page: &str) -> String {
        format!("http://{}/{page}", self.address)
    }
}

async fn page(State(mut visits): State<Visits>, Path(page): Path<String>) -> Response {
    let visit = visits.count(&page);
    match (page.split('-').next().unwrap_or_default(), visit) {
        ("slow", 1) => std::future::pending().await,
        ("busy", 1) => busy(),
        ("busy", 2) => {
            // A stopped site holds no responses back.
            let _ = visits.held.wait_for(|is_held| !is_held).await;
            busy()
        }
        ("limited", 1) => {
            (StatusCode::TOO_MANY_REQUESTS, [("retry-after", "1")], "not so fast").into_response()
        }
        ("dropped", 1) => dropped().into_response(),
        ("gone", _) => (StatusCode::NOT_FOUND, "no such page").into_response(),
        ("stuck", _) => html(&page, STUCK),
        _ => html(&page, ""),
    }
}

impl Visits {
    fn count(&self, page: &str) -> u32 {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let visit = counts.entry(page.to_owned()).or_default();
        *visit += 1;
        *visit
    }
}

fn busy() -> Response {
    (StatusCode::SERVICE_UNAVAILABLE, "busy").into_response()
}

fn html(page: &str, script: &str) -> Response {
    Html(format!("<!doctype html><title>{page}</title><script>{script}</script>")).into_response()
}

const STUCK: &str = "let first = true; window.state = () => { const end = Date.now() + 1500; \
                     while (first && Date.now() < end); first = false; \
                     return {title: document.title} }";

/// Half a page, and then an error, which closes the connection. It waits until the half is sent, since
/// a browser itself retries if a connection ends before any response.
fn dropped() -> Body {
    let end = async {
        tokio::task::yield_now().await;
        Err(io::Error::from(io::ErrorKind::ConnectionReset))
    };
    Body::from_stream(stream::iter([Ok("<!doctype html>")]).chain(stream::once(end)))
}
