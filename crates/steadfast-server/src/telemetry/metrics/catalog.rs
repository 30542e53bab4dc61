//! The catalog of recorded metrics: names, help texts and histogram buckets.

use metrics::{describe_counter, describe_gauge, describe_histogram};
use metrics_exporter_prometheus::{BuildError, Matcher, PrometheusBuilder};

/// Name and help text.
type Metric = (&'static str, &'static str);

const COUNTERS: [Metric; 15] = [
    ("steadfast_tasks_submitted_total", "Submitted tasks"),
    ("steadfast_tasks_claimed_total", "Tasks claimed through this instance"),
    ("steadfast_task_attempts_total", "Task attempts by outcome and failure class"),
    ("steadfast_tasks_postponed_total", "Tasks postponed without an attempt by an open breaker"),
    ("steadfast_tasks_ended_total", "Tasks that completed or failed permanently"),
    ("steadfast_task_give_ups_total", "Tasks that failed permanently, by reason"),
    ("steadfast_leases_lost_total", "Tasks reclaimed after their lease expired"),
    ("steadfast_records_dropped_total", "Sessions and events that were dropped"),
    ("steadfast_store_failures_total", "Store errors seen by workers, by operation"),
    ("steadfast_sessions_total", "Retry sessions of this process by outcome"),
    ("steadfast_retries_total", "Retries of sessions of this process by failure class"),
    ("steadfast_give_ups_total", "Sessions of this process that gave up, by reason"),
    ("steadfast_breaker_changes_total", "Breaker state changes seen by sessions of this process"),
    ("steadfast_http_requests_total", "HTTP requests by method, route and status"),
    ("process_cpu_seconds_total", "CPU time of this process in seconds"),
];

const GAUGES: [Metric; 2] = [
    ("steadfast_http_followers", "Open event streams"),
    ("steadfast_build_info", "Build information: always 1, with the version as a label"),
];

const HISTOGRAMS: [Metric; 6] = [
    ("steadfast_task_lateness_seconds", "Time from when a task was due until it was claimed"),
    (
        "steadfast_task_duration_seconds",
        "Time from when a task was first due, or last requeued, until its end",
    ),
    ("steadfast_task_retry_delay_seconds", "Delay before the next attempt of a failed task"),
    ("steadfast_attempt_duration_seconds", "Duration of attempts by the worker of this instance"),
    ("steadfast_retry_delay_seconds", "Delay before retries of sessions of this process"),
    ("steadfast_http_request_duration_seconds", "Time until the response head is sent"),
];

/// Buckets in seconds for requests and attempts.
const SHORT_BUCKETS: [f64; 12] =
    [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 30.0];
/// Buckets in seconds for tasks, up to two weeks.
const LONG_BUCKETS: [f64; 12] =
    [0.01, 0.1, 1.0, 10.0, 60.0, 300.0, 1800.0, 3600.0, 14_400.0, 86_400.0, 604_800.0, 1_209_600.0];

const BUCKETS: [(&str, &[f64]); 6] = [
    ("steadfast_task_lateness_seconds", &LONG_BUCKETS),
    ("steadfast_task_duration_seconds", &LONG_BUCKETS),
    ("steadfast_task_retry_delay_seconds", &LONG_BUCKETS),
    ("steadfast_attempt_duration_seconds", &SHORT_BUCKETS),
    ("steadfast_retry_delay_seconds", &SHORT_BUCKETS),
    ("steadfast_http_request_duration_seconds", &SHORT_BUCKETS),
];

#[cfg(feature = "otlp")]
pub(crate) fn buckets(name: &str) -> Option<&'static [f64]> {
    BUCKETS.into_iter().find(|(histogram, _)| *histogram == name).map(|(_, buckets)| buckets)
}

pub(super) fn with_buckets(builder: PrometheusBuilder) -> Result<PrometheusBuilder, BuildError> {
    BUCKETS.into_iter().try_fold(builder, |builder, (name, buckets)| {
        builder.set_buckets_for_metric(Matcher::Full(name.to_owned()), buckets)
    })
}

pub(super) fn describe() {
    COUNTERS.into_iter().for_each(|(name, help)| describe_counter!(name, help));
    GAUGES.into_iter().for_each(|(name, help)| describe_gauge!(name, help));
    HISTOGRAMS.into_iter().for_each(|(name, help)| describe_histogram!(name, help));
}
