//! Metrics of requests and event streams.

use std::time::Duration;

use http::{Method, StatusCode};
use metrics::{counter, gauge, histogram};

const OPEN_STREAMS: &str = "steadfast_http_followers";

/// Records a response. The route is the template, without ids.
pub(crate) fn record_response(
    method: &'static str,
    route: &str,
    status: StatusCode,
    took: Duration,
) {
    let labels = [("method", method.to_owned()), ("route", route.to_owned())];
    histogram!("steadfast_http_request_duration_seconds", &labels).record(took.as_secs_f64());
    let [method, route] = labels;
    let labels = [method, route, ("status", status.as_str().to_owned())];
    counter!("steadfast_http_requests_total", &labels).increment(1);
}

/// The name of a standard method; clients can send any number of others.
pub(crate) fn method_name(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        Method::OPTIONS => "OPTIONS",
        _ => "other",
    }
}

/// Counts an open event stream until it is dropped. The gauge is incremented and decremented rather than
/// set, so that concurrent streams cannot overwrite each other.
pub(crate) struct StreamGauge(());

impl StreamGauge {
    pub(crate) fn open() -> Self {
        gauge!(OPEN_STREAMS).increment(1.0);
        Self(())
    }
}

impl Drop for StreamGauge {
    fn drop(&mut self) {
        gauge!(OPEN_STREAMS).decrement(1.0);
    }
}
