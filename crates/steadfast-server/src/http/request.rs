//! Request middleware: request id, tracing span, log line (O2) and metrics (O3).
//!
//! The id is the client's `X-Request-Id` if it is safe to log, and a new one otherwise. It appears in
//! every log line of the request, in the response headers and in every problem, so a report can be
//! matched with the log.

use std::fmt;
use std::time::Instant;

use axum::extract::{MatchedPath, Request};
use axum::middleware::Next;
use axum::response::Response;
use http::{HeaderMap, HeaderName, HeaderValue};
use steadfast::observe::Redactor;
use tracing::{Instrument, Span, debug, field, info_span, warn};
use uuid::Uuid;

use super::ProblemDetails;
use crate::telemetry::metrics::requests::{method_name, record_response};

const HEADER: HeaderName = HeaderName::from_static("x-request-id");
const MAX_ID_BYTES: usize = 128;
/// The route label of unmatched paths.
const UNMATCHED_ROUTE: &str = "other";

tokio::task_local! {
    static CURRENT: RequestId;
}

#[derive(Clone, Debug)]
pub(crate) struct RequestId(HeaderValue);

impl RequestId {
    pub(crate) fn current() -> Option<Self> {
        CURRENT.try_with(Self::clone).ok()
    }

    /// Carries the id of the current request into a spawned task.
    pub(crate) fn propagate<F: Future>(future: F) -> impl Future<Output = F::Output> {
        CURRENT.scope(Self::current().unwrap_or_else(|| Self(generate())), future)
    }

    fn as_str(&self) -> &str {
        self.0.to_str().unwrap_or_default()
    }

    fn from_headers(headers: &HeaderMap) -> Self {
        let sent = headers.get(HEADER).filter(|sent| is_loggable(sent.as_bytes()));
        Self(sent.cloned().unwrap_or_else(generate))
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Whether an id is safe to log: short, without spaces, quotes or control characters.
fn is_loggable(id: &[u8]) -> bool {
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.:/+=".contains(byte);
    (1..=MAX_ID_BYTES).contains(&id.len()) && id.iter().all(is_plain)
}

fn generate() -> HeaderValue {
    let id = Uuid::now_v7().simple().to_string();
    HeaderValue::from_str(&id).unwrap_or(HeaderValue::from_static("none"))
}

pub(crate) async fn observe_request(request: Request, next: Next) -> Response {
    let began = Instant::now();
    let id = RequestId::from_headers(request.headers());
    let method = method_name(request.method());
    let route = request.extensions().get::<MatchedPath>().cloned();
    let route = route.as_ref().map_or(UNMATCHED_ROUTE, MatchedPath::as_str);
    let span = span(&id, method, route, request.headers());
    let response = CURRENT.scope(id.clone(), next.run(request)).instrument(span.clone());
    let mut response = response.await;
    response.headers_mut().insert(HEADER, id.0);

    let (status, took) = (response.status(), began.elapsed());
    record_response(method, route, status, took);
    span.record("status", status.as_u16());
    let _entered = span.enter();
    let took = took.as_secs_f64();
    if status.is_server_error() {
        let details = response.extensions().get::<ProblemDetails>();
        let redacted = |text: String| Redactor::installed().text(&text).into_owned();
        let error = details.map(|ProblemDetails(error)| redacted(error.to_string()));
        warn!(target: "steadfast", status = status.as_u16(), took, error, "request failed");
    } else {
        debug!(target: "steadfast", status = status.as_u16(), took, "request completed");
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

#[cfg(feature = "otlp")]
fn continue_trace(span: &Span, headers: &HeaderMap) {
    use opentelemetry_http::HeaderExtractor;
    use tracing_opentelemetry::OpenTelemetrySpanExt;

    let context = opentelemetry::global::get_text_map_propagator(|propagator| {
        propagator.extract(&HeaderExtractor(headers))
    });
    // A disabled span has no parent.
    let _ = span.set_parent(context);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(sent: &str) -> String {
        let mut headers = HeaderMap::new();
        headers.insert(HEADER, HeaderValue::from_bytes(sent.as_bytes()).unwrap());
        RequestId::from_headers(&headers).to_string()
    }

    /// O2: a loggable id of the client is used as it is.
    #[test]
    fn loggable_request_id_is_used() {
        for sent in ["7", "req-7_a.b:c/d+e=", &"x".repeat(MAX_ID_BYTES)] {
            assert_eq!(id(sent), sent);
        }
    }

    /// O2, K4: an id that could break or flood the log is replaced.
    #[test]
    fn unloggable_request_id_is_replaced() {
        for sent in ["", " ", "a b", "a\tb", "\"", "{}", "é", &"x".repeat(MAX_ID_BYTES + 1)] {
            assert_eq!(id(sent).len(), 32, "{sent}");
        }
        assert_ne!(
            RequestId::from_headers(&HeaderMap::new()).as_str(),
            id(""),
            "generated ids are unique"
        );
    }
}
