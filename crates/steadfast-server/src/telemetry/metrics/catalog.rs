//! Every figure that is counted in this process: what it is, in words, and how a histogram of it
//! is divided.

use metrics::{describe_counter, describe_gauge, describe_histogram};
use metrics_exporter_prometheus::{BuildError, Matcher, PrometheusBuilder};

/// Name and meaning.
type Described = (&'static str, &'static str);

const COUNTERS: [Described; 15] = [
    ("steadfast_tasks_submitted_total", "Tasks that were taken in"),
    ("steadfast_tasks_claimed_total", "Tasks that were claimed through this instance"),
    (
        "steadfast_task_attempts_total",
        "Attempts at tasks, by how they ended and the class of a failure",
    ),
    (
        "steadfast_tasks_postponed_total",
        "Tasks that were put off untried, because a breaker was open",
    ),
    ("steadfast_tasks_ended_total", "Tasks that completed or were given up"),
    ("steadfast_task_give_ups_total", "Tasks that were given up, by reason"),
    ("steadfast_leases_lost_total", "Tasks that came back because their worker was lost"),
    ("steadfast_records_dropped_total", "Sessions and events that were not kept"),
    ("steadfast_store_failures_total", "Failures of the store that a worker met, by what it asked"),
    ("steadfast_sessions_total", "Sessions in this process, by how they ended"),
    ("steadfast_retries_total", "Retries of sessions in this process, by class"),
    ("steadfast_give_ups_total", "Sessions in this process that gave up, by reason"),
    ("steadfast_breaker_changes_total", "Changes of breakers that sessions in this process saw"),
    ("steadfast_http_requests_total", "Requests that were answered, by route and status"),
    ("process_cpu_seconds_total", "Processor time of this process, in seconds"),
];

const GAUGES: [Described; 2] = [
    ("steadfast_http_followers", "Streams of events that are open"),
    ("steadfast_build_info", "Always 1; the version is its label"),
];

const HISTOGRAMS: [Described; 6] = [
    ("steadfast_task_lateness_seconds", "How long after it was due a task was claimed"),
    (
        "steadfast_task_duration_seconds",
        "How long a task took from when it was first due, or its last fresh start, to its end",
    ),
    ("steadfast_task_retry_delay_seconds", "How long a failed task waits for its next attempt"),
    ("steadfast_attempt_duration_seconds", "How long an attempt of this instance's worker took"),
    ("steadfast_retry_delay_seconds", "How long sessions in this process waited for a retry"),
    ("steadfast_http_request_duration_seconds", "How long an answer took, up to its head"),
];

/// From what a machine notices to what a person does.
const SHORT: [f64; 12] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 30.0];
/// From a moment to two weeks.
const LONG: [f64; 12] =
    [0.01, 0.1, 1.0, 10.0, 60.0, 300.0, 1800.0, 3600.0, 14_400.0, 86_400.0, 604_800.0, 1_209_600.0];

const BUCKETS: [(&str, &[f64]); 6] = [
    ("steadfast_task_lateness_seconds", &LONG),
    ("steadfast_task_duration_seconds", &LONG),
    ("steadfast_task_retry_delay_seconds", &LONG),
    ("steadfast_attempt_duration_seconds", &SHORT),
    ("steadfast_retry_delay_seconds", &SHORT),
    ("steadfast_http_request_duration_seconds", &SHORT),
];

/// Where a histogram is divided; nothing for what is none of ours.
#[cfg(feature = "otlp")]
pub(crate) fn buckets(name: &str) -> Option<&'static [f64]> {
    BUCKETS.into_iter().find(|(known, _)| *known == name).map(|(_, buckets)| buckets)
}

/// Divides every histogram.
pub(super) fn with_buckets(builder: PrometheusBuilder) -> Result<PrometheusBuilder, BuildError> {
    BUCKETS.into_iter().try_fold(builder, |builder, (name, buckets)| {
        builder.set_buckets_for_metric(Matcher::Full(name.to_owned()), buckets)
    })
}

/// Tells the recorder that is installed what its figures mean.
pub(super) fn describe() {
    COUNTERS.into_iter().for_each(|(name, help)| describe_counter!(name, help));
    GAUGES.into_iter().for_each(|(name, help)| describe_gauge!(name, help));
    HISTOGRAMS.into_iter().for_each(|(name, help)| describe_histogram!(name, help));
}
