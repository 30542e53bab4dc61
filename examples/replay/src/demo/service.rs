//! A service for the demo: a real HTTP server on a free local port, with scripted failures.
//!
//! It has a script of responses for each path, and rate limits by the first part of the path: 429,
//! with or without `Retry-After`.

use std::collections::{HashMap, VecDeque};
use std::future::pending;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::State;
use axum::http::{StatusCode, Uri, header};
use axum::response::{IntoResponse, Json, Response};
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::Notify;
use tokio::task::JoinHandle;

/// The response to a request.
#[derive(Clone, Debug)]
pub enum Answer {
    /// Success.
    Body(Value),
    /// This status without a body.
    Status(u16),
    /// 429, with this `Retry-After` if any.
    Later(Option<Duration>),
    /// No response: the client waits.
    Nothing,
}

/// The rate limit of a part of the service.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    /// The number of requests…
    pub requests: u32,
    /// …in each window of this length.
    pub per: Duration,
    /// Whether the 429 has a `Retry-After`.
    pub says_when: bool,
}

/// The service, until it is dropped.
#[derive(Debug)]
pub struct Service {
    url: String,
    state: Arc<Shared>,
    serving: JoinHandle<()>,
}

#[derive(Debug, Default)]
struct Shared {
    inner: Mutex<Inner>,
    news: Notify,
}

#[derive(Debug, Default)]
struct Inner {
    answers: HashMap<String, VecDeque<Answer>>,
    limits: HashMap<String, (Limit, Span)>,
    asked: Vec<String>,
}

/// The start of the current window, and its number of requests.
#[derive(Debug)]
struct Span {
    began: Instant,
    requests: u32,
}

impl Service {
    /// Starts the service on a free port.
    ///
    /// # Errors
    /// No port is free.
    pub async fn start() -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let url = format!("http://{}", listener.local_addr()?);
        let state = Arc::<Shared>::default();
        let router = Router::new().fallback(answer).with_state(Arc::clone(&state));
        let serving = tokio::spawn(async move {
            if let Err(error) = axum::serve(listener, router).await {
                tracing::error!(%error, "the service has stopped");
            }
        });
        Ok(Self { url, state, serving })
    }

    /// Its URL.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Sets the responses to a path, in this order; the last one repeats.
    pub fn answers(&self, path: &str, answers: impl IntoIterator<Item = Answer>) {
        self.state.inner().answers.insert(path.to_owned(), answers.into_iter().collect());
    }

    /// Limits everything below `/part/`.
    pub fn limit(&self, part: &str, limit: Limit) {
        let span = Span { began: Instant::now(), requests: 0 };
        self.state.inner().limits.insert(part.to_owned(), (limit, span));
    }

    /// The paths of all requests, in order, including refused ones.
    #[must_use]
    pub fn asked(&self) -> Vec<String> {
        self.state.inner().asked.clone()
    }

    /// Waits until the requested paths satisfy a condition.
    pub async fn until(&self, is_so: impl Fn(&[String]) -> bool) {
        loop {
            let mut news = std::pin::pin!(self.state.news.notified());
            news.as_mut().enable();
            if is_so(&self.state.inner().asked) {
                return;
            }
            news.await;
        }
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl Shared {
    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn answer(&mut self, path: &str) -> Answer {
        self.asked.push(path.to_owned());
        self.refuse(path).or_else(|| self.next(path)).unwrap_or(Answer::Status(404))
    }

    /// The response if the rate limit of the path is exceeded.
    fn refuse(&mut self, path: &str) -> Option<Answer> {
        let part = path.split('/').nth(1)?;
        let (limit, span) = self.limits.get_mut(part)?;
        if span.began.elapsed() >= limit.per {
            *span = Span { began: Instant::now(), requests: 0 };
        }
        span.requests += 1;
        let left = limit.per.saturating_sub(span.began.elapsed());
        let refused = span.requests > limit.requests;
        refused.then_some(Answer::Later(limit.says_when.then_some(left)))
    }

    fn next(&mut self, path: &str) -> Option<Answer> {
        let answers = self.answers.get_mut(path)?;
        if answers.len() > 1 { answers.pop_front() } else { answers.front().cloned() }
    }
}

async fn answer(State(state): State<Arc<Shared>>, uri: Uri) -> Response {
    let answer = state.inner().answer(uri.path());
    state.news.notify_waiters();
    match answer {
        Answer::Body(body) => Json(body).into_response(),
        Answer::Status(status) => {
            StatusCode::from_u16(status).unwrap_or(StatusCode::NOT_FOUND).into_response()
        }
        Answer::Later(None) => StatusCode::TOO_MANY_REQUESTS.into_response(),
        Answer::Later(Some(left)) => {
            let seconds = left.as_secs_f64().ceil().to_string();
            (StatusCode::TOO_MANY_REQUESTS, [(header::RETRY_AFTER, seconds)]).into_response()
        }
        Answer::Nothing => pending().await,
    }
}
