//! Telemetry: logs, Prometheus metrics and OTLP export.

pub(crate) mod logs;
pub(crate) mod metrics;
#[cfg(feature = "otlp")]
pub(crate) mod otlp;
