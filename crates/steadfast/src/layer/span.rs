//! The span of an HTTP attempt.
//!
//! It has the attributes of OpenTelemetry's HTTP client spans: `http.request.resend_count` is absent
//! from the first attempt. Without the feature `tracing` it is nothing.

/// The span of one attempt.
pub(super) struct AttemptSpan(#[cfg(feature = "tracing")] tracing::Span);

#[cfg(feature = "tracing")]
impl AttemptSpan {
    /// The span of an HTTP request that was sent so often before.
    pub(super) fn http(resend_count: u32) -> Self {
        Self(tracing::info_span!(
            target: "steadfast",
            "http_attempt",
            http.request.resend_count = (resend_count > 0).then_some(resend_count),
        ))
    }

    /// No span.
    #[cfg(feature = "tower")]
    pub(super) fn none() -> Self {
        Self(tracing::Span::none())
    }

    /// Calls a function in the span.
    pub(super) fn in_scope<T>(&self, function: impl FnOnce() -> T) -> T {
        self.0.in_scope(function)
    }

    /// Runs a future in the span.
    pub(super) fn instrument<F>(self, future: F) -> tracing::instrument::Instrumented<F> {
        tracing::Instrument::instrument(future, self.0)
    }
}

#[cfg(not(feature = "tracing"))]
impl AttemptSpan {
    pub(super) fn http(_: u32) -> Self {
        Self()
    }

    #[cfg(feature = "tower")]
    pub(super) fn none() -> Self {
        Self()
    }

    pub(super) fn in_scope<T>(&self, function: impl FnOnce() -> T) -> T {
        function()
    }

    pub(super) fn instrument<F>(self, future: F) -> F {
        future
    }
}
