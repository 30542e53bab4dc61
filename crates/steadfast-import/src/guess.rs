//! Which system a text is of.
//!
//! People have a file, not the name of its format. The settings of these systems have
//! names of their own, so the format that most of the names in a text belong to is the
//! one. The text is not parsed: one that is broken deserves the problems of its own
//! format, not a question.

use super::ForeignFormat;

const MARKS: &[(ForeignFormat, &[&str])] = &[
    (
        ForeignFormat::MicroProfile,
        &["smallrye.faulttolerance", "quarkus.fault-tolerance", "Retry/", "CircuitBreaker/"],
    ),
    (
        ForeignFormat::Workflow,
        &[
            "retry_strategy",
            "exponential_backoff",
            "fixed_delay",
            "custom_schedule",
            "customSchedule",
            "initialDelaySeconds",
            "initial_delay_seconds",
            "nodeId",
        ],
    ),
    (
        ForeignFormat::Client,
        &["max_retries", "initial_backoff", "max_backoff", "backoff_multiplier", "retry_jitter"],
    ),
    (
        ForeignFormat::GrpcServiceConfig,
        &["methodConfig", "retryPolicy", "retryThrottling", "retryableStatusCodes"],
    ),
    (
        ForeignFormat::Resilience4j,
        &["resilience4j", "waitDuration", "wait-duration", "enableExponentialBackoff"],
    ),
    (
        ForeignFormat::StepFunctions,
        &["ErrorEquals", "IntervalSeconds", "BackoffRate", "StartAt", "States."],
    ),
    (
        ForeignFormat::Envoy,
        &["retry_policy", "virtual_hosts", "num_retries", "per_try_timeout", "retry_back_off"],
    ),
];

pub(super) fn guess(text: &str) -> Option<ForeignFormat> {
    let found = |marks: &[&str]| marks.iter().filter(|mark| text.contains(**mark)).count();
    let mut best = None;
    for (format, marks) in MARKS {
        let count = found(marks);
        if count > best.map_or(0, |(_, most)| most) {
            best = Some((*format, count));
        }
    }
    best.map(|(format, _)| format)
}
