//! The tracing span of an attempt (O2, O3): logs written during the attempt, by the handler or by the
//! code it calls, carry the task's id.
//!
//! A task that was submitted with a W3C `traceparent` as its correlation id continues that trace,
//! however many days later and on whichever machine.

use steadfast_store::{Claimed, Verdict};
use tracing::field::Empty;
use tracing::{Span, info_span};

pub(super) fn new(claimed: &Claimed) -> Span {
    let span = info_span!(
        target: "steadfast",
        "attempt",
        otel.name = format_args!("attempt {}", claimed.kind),
        otel.kind = "consumer",
        operation = claimed.kind,
        session = %claimed.id,
        attempt = claimed.progress.attempt(),
        max = claimed.policy.max_attempts(),
        queue = claimed.queue,
        policy = claimed.policy.id(),
        correlation_id = claimed.correlation_id.as_deref(),
        outcome = Empty,
        class = Empty,
        reason = Empty,
        delay = Empty,
        otel.status_code = Empty,
        otel.status_description = Empty,
    );
    continue_trace(&span, claimed.correlation_id.as_deref());
    span
}

pub(super) fn record(span: &Span, verdict: &Verdict) {
    let (outcome, fault) = match verdict {
        Verdict::Completed { .. } => ("success", None),
        Verdict::Retry { delay, fault, .. } => {
            span.record("delay", delay.as_secs_f64());
            ("retry", Some(fault))
        }
        Verdict::Failed { reason, fault, .. } => {
            span.record("reason", reason.name());
            ("failure", fault.as_ref())
        }
        _ => ("released", None),
    };
    span.record("outcome", outcome);
    if let Some(fault) = fault {
        span.record("class", fault.class.name());
        span.record("otel.status_code", "ERROR");
        span.record("otel.status_description", fault.message.as_str());
    }
}

#[cfg(not(feature = "opentelemetry"))]
const fn continue_trace(_: &Span, _: Option<&str>) {}

/// Makes the span a part of the trace in the correlation id, if it is a trace context.
#[cfg(feature = "opentelemetry")]
fn continue_trace(span: &Span, correlation_id: Option<&str>) {
    use std::collections::HashMap;

    use opentelemetry::trace::TraceContextExt;
    use tracing_opentelemetry::OpenTelemetrySpanExt;

    let Some(correlation_id) = correlation_id.filter(|_| !span.is_disabled()) else {
        return;
    };
    let carrier = HashMap::from([("traceparent".to_owned(), correlation_id.to_owned())]);
    let context =
        opentelemetry::global::get_text_map_propagator(|propagator| propagator.extract(&carrier));
    if context.span().span_context().is_valid() {
        // Fails for a span that is not exported.
        let _ = span.set_parent(context);
    }
}
