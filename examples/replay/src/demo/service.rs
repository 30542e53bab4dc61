//! A service for the demo: a real HTTP server on a free local port, with scripted failures.
//!
//! It answers each path with what it was given for it, one after the other, and limits how often
//! a part of it may be asked, as services do: with 429, and with a `Retry-After` or without one.

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

/// How a path is answered.
#[derive(Clone, Debug)]
pub enum Answer {
    /// With success.
    Body(Value),
    /// With this status and nothing else.
    Status(u16),
    /// With 429: come back later, after this long if that is said.
    Later(Option<Duration>),
    /// Not at all: whoever asks waits.
    Nothing,
}

/// How often a part of the service may be asked.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    /// So many requests…
    pub requests: u32,
    /// …in each span of this length.
    pub per: Duration,
    /// Whether whoever is refused is told when to come back.
    pub says_when: bool,
}

/// The service, until it is dropped.
#[derive(Debug)]
pub struct Service {
    url: String,
    moods: Arc<Moods>,
    serving: JoinHandle<()>,
}

#[derive(Debug, Default)]
struct Moods {
    kept: Mutex<Kept>,
    news: Notify,
}

#[derive(Debug, Default)]
struct Kept {
    answers: HashMap<String, VecDeque<Answer>>,
    limits: HashMap<String, (Limit, Span)>,
    asked: Vec<String>,
}

/// When the span under way began, and how often was asked in it.
#[derive(Debug)]
struct Span {
    began: Instant,
    requests: u32,
}

impl Service {
    /// Begins to serve on a free port.
    ///
    /// # Errors
    /// There is none.
    pub async fn start() -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let url = format!("http://{}", listener.local_addr()?);
        let moods = Arc::<Moods>::default();
        let router = Router::new().fallback(answer).with_state(Arc::clone(&moods));
        let serving = tokio::spawn(async move {
            if let Err(error) = axum::serve(listener, router).await {
                tracing::error!(%error, "the service has stopped");
            }
        });
        Ok(Self { url, moods, serving })
    }

    /// Where it is.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Answers a path with these, one after the other; the last one repeats.
    pub fn answers(&self, path: &str, answers: impl IntoIterator<Item = Answer>) {
        self.moods.kept().answers.insert(path.to_owned(), answers.into_iter().collect());
    }

    /// Limits everything below `/part/`.
    pub fn limit(&self, part: &str, limit: Limit) {
        let span = Span { began: Instant::now(), requests: 0 };
        self.moods.kept().limits.insert(part.to_owned(), (limit, span));
    }

    /// Every path that was asked for, in order, refused or not.
    #[must_use]
    pub fn asked(&self) -> Vec<String> {
        self.moods.kept().asked.clone()
    }

    /// Waits until what was asked is as it should be.
    pub async fn until(&self, is_so: impl Fn(&[String]) -> bool) {
        loop {
            let mut news = std::pin::pin!(self.moods.news.notified());
            news.as_mut().enable();
            if is_so(&self.moods.kept().asked) {
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

impl Moods {
    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    fn answer(&mut self, path: &str) -> Answer {
        self.asked.push(path.to_owned());
        self.refuse(path).or_else(|| self.next(path)).unwrap_or(Answer::Status(404))
    }

    /// What to answer if this part of the service is asked too often.
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

async fn answer(State(moods): State<Arc<Moods>>, uri: Uri) -> Response {
    let answer = moods.kept().answer(uri.path());
    moods.news.notify_waiters();
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
