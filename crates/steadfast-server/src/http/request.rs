//! What is known of a request from its first moment to its last: its id, its span in traces and
//! logs (O2), its figures (O3).
//!
//! The id is the sender's, if it sent one that is fit for a log, and else a new one. It is in
//! every line that is logged meanwhile, in the answer's head and in every problem, so that who
//! complains and who reads the log speak of the same thing.

use std::fmt;
use std::time::Instant;

use axum::extract::{MatchedPath, Request};
use axum::middleware::Next;
use axum::response::Response;
use http::{HeaderMap, HeaderName, HeaderValue};
use steadfast::observe::Redactor;
use tracing::{Instrument, Span, debug, field, info_span, warn};
use uuid::Uuid;

use crate::http::problem::Told;
use crate::telemetry::metrics::requests::{answered, method_name};

const HEADER: HeaderName = HeaderName::from_static("x-request-id");
/// The longest id that is taken from a sender.
const LONGEST: usize = 128;
/// The route of what is nowhere.
const NOWHERE: &str = "other";

tokio::task_local! {
    static CURRENT: RequestId;
}

/// What a request is called.
#[derive(Clone, Debug)]
pub(crate) struct RequestId(HeaderValue);

impl RequestId {
    /// That of the request under way, if there is one.
    pub(crate) fn current() -> Option<Self> {
        CURRENT.try_with(Self::clone).ok()
    }

    /// Has the request under way keep its id in a task of its own.
    pub(crate) fn kept_within<F: Future>(answer: F) -> impl Future<Output = F::Output> {
        CURRENT.scope(Self::current().unwrap_or_else(|| Self(fresh())), answer)
    }

    pub(crate) fn as_str(&self) -> &str {
        self.0.to_str().unwrap_or_default()
    }

    fn of(headers: &HeaderMap) -> Self {
        let sent = headers.get(HEADER).filter(|sent| is_sane(sent.as_bytes()));
        Self(sent.cloned().unwrap_or_else(fresh))
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Whether an id can stand in a log and mean nothing else there.
fn is_sane(id: &[u8]) -> bool {
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.:/+=".contains(byte);
    (1..=LONGEST).contains(&id.len()) && id.iter().all(is_plain)
}

fn fresh() -> HeaderValue {
    let id = Uuid::now_v7().simple().to_string();
    HeaderValue::from_str(&id).unwrap_or(HeaderValue::from_static("none"))
}

/// Accompanies a request.
pub(crate) async fn accompany(request: Request, next: Next) -> Response {
    let began = Instant::now();
    let id = RequestId::of(request.headers());
    let method = method_name(request.method());
    let route = request.extensions().get::<MatchedPath>().cloned();
    let route = route.as_ref().map_or(NOWHERE, MatchedPath::as_str);
    let span = span(&id, method, route, request.headers());
    let answer = CURRENT.scope(id.clone(), next.run(request)).instrument(span.clone());
    let mut response = answer.await;
    response.headers_mut().insert(HEADER, id.0);

    let (status, took) = (response.status(), began.elapsed());
    answered(method, route, status, took);
    span.record("status", status.as_u16());
    let _within = span.enter();
    let took = took.as_secs_f64();
    if status.is_server_error() {
        let error = response.extensions().get::<Told>().map(|Told(error)| error.to_string());
        let error = error.map(|error| Redactor::installed().text(&error).into_owned());
        warn!(target: "steadfast", status = status.as_u16(), took, error, "a request could not be answered");
    } else {
        debug!(target: "steadfast", status = status.as_u16(), took, "answered");
    }
    response
}

fn span(id: &RequestId, method: &str, route: &str, headers: &HeaderMap) -> Span {
    let span = info_span!(
        target: "steadfast",
        "request",
        otel.name = format_args!("{method} {route}"),
        otel.kind = "server",
        request_id = %id,
        method,
        route,
        status = field::Empty,
    );
    continue_trace(&span, headers);
    span
}

#[cfg(not(feature = "otlp"))]
const fn continue_trace(_: &Span, _: &HeaderMap) {}

/// The request is a part of what its sender does.
#[cfg(feature = "otlp")]
fn continue_trace(span: &Span, headers: &HeaderMap) {
    use opentelemetry_http::HeaderExtractor;
    use tracing_opentelemetry::OpenTelemetrySpanExt;

    let context = opentelemetry::global::get_text_map_propagator(|propagator| {
        propagator.extract(&HeaderExtractor(headers))
    });
    // A span that nobody listens to has no parent.
    let _ = span.set_parent(context);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(sent: &str) -> String {
        let mut headers = HeaderMap::new();
        headers.insert(HEADER, HeaderValue::from_bytes(sent.as_bytes()).unwrap());
        RequestId::of(&headers).to_string()
    }

    /// O2: what a sender calls its request is what it is called here.
    #[test]
    fn a_sane_id_is_kept() {
        for id in ["7", "req-7_a.b:c/d+e=", &"x".repeat(LONGEST)] {
            assert_eq!(of(id), id);
        }
    }

    /// O2, K4: what could break a log, or fill it, is replaced.
    #[test]
    fn any_other_id_is_replaced() {
        for id in ["", " ", "a b", "a\tb", "\"", "{}", "é", &"x".repeat(LONGEST + 1)] {
            assert_eq!(of(id).len(), 32, "{id}");
        }
        assert_ne!(RequestId::of(&HeaderMap::new()).as_str(), of(""), "no two are the same");
    }
}
