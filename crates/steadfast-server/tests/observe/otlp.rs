//! Traces and metrics over OTLP (O3).

use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::trace::v1::Span;
use opentelemetry_proto::tonic::trace::v1::status::StatusCode;

use crate::child_process;
use crate::collector::Collector;
use crate::program::{REQUEST, SECRET, TRACE};

const ENDPOINT: &str = "OTEL_EXPORTER_OTLP_ENDPOINT";
const TRACES_ENDPOINT: &str = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT";

fn attribute(span: &Span, key: &str) -> Option<String> {
    let found = span.attributes.iter().find(|attribute| attribute.key == key)?;
    match found.value.clone()?.value? {
        Value::StringValue(text) => Some(text),
        Value::IntValue(number) => Some(number.to_string()),
        other => Some(format!("{other:?}")),
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// O3: each request and attempt is a span; an attempt continues the trace of its submit; metrics are
/// exported; and nothing contains secrets (O5).
#[test]
fn spans_and_metrics_are_exported_over_otlp() {
    let collector = Collector::start();
    child_process::run(&[(ENDPOINT, &collector.url)]);
    let collected = collector.collected();
    assert!(collected.types.iter().all(|kind| kind == "application/x-protobuf"));
    let spans = collected.spans();

    let is_of_trace = |span: &&&Span| hex(&span.trace_id) == TRACE && span.name == "attempt http";
    let attempts: Vec<_> = spans.iter().filter(is_of_trace).collect();
    let outcomes: Vec<_> = attempts.iter().map(|span| attribute(span, "outcome")).collect();
    assert_eq!(outcomes, [Some("retry".to_owned()), Some("failure".to_owned())], "{spans:?}");
    for (span, number) in attempts.iter().zip(["1", "2"]) {
        assert_eq!(hex(&span.parent_span_id), "b7ad6b7169203331");
        assert_eq!(attribute(span, "attempt").as_deref(), Some(number));
        assert_eq!(attribute(span, "class").as_deref(), Some("retryable"));
        assert_eq!(span.status.as_ref().unwrap().code(), StatusCode::Error);
    }
    assert_eq!(attribute(attempts[1], "reason").as_deref(), Some("attempts_exhausted"));

    let request = spans.iter().find(|span| span.name == "POST /api/v1/tasks").unwrap();
    assert_eq!(attribute(request, "request_id").as_deref(), Some(REQUEST));
    assert_eq!(attribute(request, "status").as_deref(), Some("201"));

    assert!(collected.metrics().any(|metric| metric.name == "steadfast_task_attempts_total"));
    // Divided for what takes milliseconds, and for what takes weeks.
    let bounds = |name| collected.bounds(name).and_then(|bounds| bounds.first().zip(bounds.last()));
    assert_eq!(bounds("steadfast_attempt_duration_seconds"), Some((&0.001, &30.0)));
    assert_eq!(bounds("steadfast_task_duration_seconds"), Some((&0.01, &1_209_600.0)));
    assert!(!String::from_utf8_lossy(&collected.raw).contains(SECRET));
}

/// O3: a collector gets the gauges of the store and the guards, as Prometheus does.
#[test]
fn store_gauges_are_exported_over_otlp() {
    let collector = Collector::start();
    child_process::run(&[(ENDPOINT, &collector.url), ("OTEL_METRIC_EXPORT_INTERVAL", "100")]);
    let collected = collector.collected();
    assert_eq!(collected.gauge("steadfast_store_up", &[]), Some(1.0));
    assert_eq!(collected.gauge("steadfast_tasks", &[("status", "completed")]), Some(1.0));
    assert_eq!(collected.gauge("steadfast_tasks", &[("status", "failed")]), Some(1.0));
    assert!(collected.gauge("steadfast_workers", &[("state", "heard")]) >= Some(1.0));
    assert!(collected.gauge("steadfast_budget_balance", &[("policy", "guarded")]).is_some());
}

/// O3: the standard variables select the exported signals.
#[test]
fn only_configured_signals_are_exported() {
    let collector = Collector::start();
    child_process::run(&[(TRACES_ENDPOINT, &format!("{}/v1/traces", collector.url))]);
    let collected = collector.collected();
    assert!(!collected.traces.is_empty() && collected.metrics.is_empty());
}

/// O3: export can be disabled.
#[test]
fn disabled_sdk_exports_nothing() {
    let collector = Collector::start();
    child_process::run(&[(ENDPOINT, &collector.url), ("OTEL_SDK_DISABLED", "true")]);
    assert!(collector.collected().raw.is_empty());
}
