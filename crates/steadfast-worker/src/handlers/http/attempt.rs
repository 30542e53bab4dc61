//! What a request says about the attempt that sends it.

use std::time::Duration;

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use steadfast::layer::{AttemptHeaders, RETRY_ATTEMPT};
use tokio::time::Instant;
use tracing::{Span, info_span};

use crate::run::Context;

const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");

/// The attempt, as its request describes it to the server.
pub(crate) struct HttpAttempt {
    number: u32,
    max_attempts: u32,
    /// How often the request was sent before.
    resend_count: u32,
    deadline: Option<Instant>,
    /// The trace that the task continues: its correlation id, if that is a `traceparent`.
    traceparent: Option<String>,
}

impl HttpAttempt {
    pub(crate) fn of(context: &Context) -> Self {
        let traceparent = context.correlation_id().filter(|id| is_traceparent(id));
        let progress = &context.claimed().progress;
        Self {
            number: context.attempt(),
            max_attempts: context.max_attempts(),
            resend_count: progress.attempts.saturating_add(progress.rate_limit_waits),
            deadline: context.deadline(),
            traceparent: traceparent.map(str::to_owned),
        }
    }

    /// The span of the request, with the attributes of OpenTelemetry's HTTP client spans.
    pub(super) fn span(&self) -> Span {
        info_span!(
            target: "steadfast",
            "http_attempt",
            otel.kind = "client",
            http.request.resend_count = (self.resend_count > 0).then_some(self.resend_count),
        )
    }

    /// Adds the headers of this attempt. The task's own headers are kept.
    pub(super) fn apply(&self, headers: &mut HeaderMap, call_deadline: Instant) {
        if !headers.contains_key(RETRY_ATTEMPT) {
            let attempt = AttemptHeaders::new(self.number).max_attempts(self.max_attempts);
            attempt.time_left(self.time_left(call_deadline)).apply(headers);
        }
        let traceparent = current_traceparent().or_else(|| self.traceparent.clone());
        if let Some(Ok(value)) = traceparent.map(HeaderValue::try_from) {
            headers.entry(TRACEPARENT).or_insert(value);
        }
    }

    /// The time until the call or the attempt times out.
    fn time_left(&self, call_deadline: Instant) -> Duration {
        let deadline = self.deadline.map_or(call_deadline, |deadline| deadline.min(call_deadline));
        deadline.saturating_duration_since(Instant::now())
    }
}

/// The trace context of the current span, if spans are exported.
#[cfg(feature = "opentelemetry")]
fn current_traceparent() -> Option<String> {
    use std::collections::HashMap;

    use tracing_opentelemetry::OpenTelemetrySpanExt;

    let context = Span::current().context();
    let mut carrier = HashMap::new();
    opentelemetry::global::get_text_map_propagator(|propagator| {
        propagator.inject_context(&context, &mut carrier);
    });
    carrier.remove(TRACEPARENT.as_str())
}

#[cfg(not(feature = "opentelemetry"))]
const fn current_traceparent() -> Option<String> {
    None
}

/// Whether a text is a W3C `traceparent`: a version, a trace id, a span id and flags in hexadecimal.
fn is_traceparent(text: &str) -> bool {
    let is_hex = |part: &str, length: usize| {
        part.len() == length && part.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
    };
    let is_id = |part: &str, length| is_hex(part, length) && part.bytes().any(|byte| byte != b'0');
    match text.split('-').collect::<Vec<_>>()[..] {
        [version, trace, span, flags] => {
            is_hex(version, 2)
                && version != "ff"
                && is_id(trace, 32)
                && is_id(span, 16)
                && is_hex(flags, 2)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// O3: only a correlation id that is a trace context is sent as one.
    #[test]
    fn traceparent_is_recognized() {
        let valid = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
        assert!(is_traceparent(valid));
        for invalid in [
            "",
            "order-42",
            "a-b-c-d",
            "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
            "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-x",
        ] {
            assert!(!is_traceparent(invalid), "{invalid}");
        }
    }
}
