//! Format detection by the names of settings.
//!
//! The format with the most of its characteristic names in the text wins. The text is not parsed,
//! so a malformed file still gets the error messages of its own format.

use super::ImportFormat;

const MARKERS: &[(ImportFormat, &[&str])] = &[
    #[cfg(feature = "microprofile")]
    (
        ImportFormat::MicroProfile,
        &["smallrye.faulttolerance", "quarkus.fault-tolerance", "Retry/", "CircuitBreaker/"],
    ),
    #[cfg(feature = "workflow")]
    (
        ImportFormat::Workflow,
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
    #[cfg(feature = "client")]
    (
        ImportFormat::Client,
        &["max_retries", "initial_backoff", "max_backoff", "backoff_multiplier", "retry_jitter"],
    ),
    #[cfg(feature = "grpc")]
    (
        ImportFormat::GrpcServiceConfig,
        &["methodConfig", "retryPolicy", "retryThrottling", "retryableStatusCodes"],
    ),
    #[cfg(feature = "resilience4j")]
    (
        ImportFormat::Resilience4j,
        &["resilience4j", "waitDuration", "wait-duration", "enableExponentialBackoff"],
    ),
    #[cfg(feature = "step-functions")]
    (
        ImportFormat::StepFunctions,
        &["ErrorEquals", "IntervalSeconds", "BackoffRate", "StartAt", "States."],
    ),
    #[cfg(feature = "envoy")]
    (
        ImportFormat::Envoy,
        &["retry_policy", "virtual_hosts", "num_retries", "per_try_timeout", "retry_back_off"],
    ),
];

pub(super) fn detect(text: &str) -> Option<ImportFormat> {
    let mut best = None;
    for (format, markers) in MARKERS {
        let count = markers.iter().filter(|marker| text.contains(**marker)).count();
        if count > best.map_or(0, |(_, most)| most) {
            best = Some((*format, count));
        }
    }
    best.map(|(format, _)| format)
}
