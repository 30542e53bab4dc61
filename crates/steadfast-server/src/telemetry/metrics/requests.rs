//! Requests, and the streams that stay open.

use std::time::Duration;

use http::{Method, StatusCode};
use metrics::{counter, gauge, histogram};

/// How many follow events.
const FOLLOWERS: &str = "steadfast_http_followers";

/// Counts an answer. The route is its template, so that no id is in it.
pub(crate) fn answered(method: &'static str, route: &str, status: StatusCode, took: Duration) {
    let labels = [("method", method.to_owned()), ("route", route.to_owned())];
    histogram!("steadfast_http_request_duration_seconds", &labels).record(took.as_secs_f64());
    let [method, route] = labels;
    let labels = [method, route, ("status", status.as_str().to_owned())];
    counter!("steadfast_http_requests_total", &labels).increment(1);
}

/// The name of a method, if it is one that is known: a client can make up any number of others.
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

/// One that follows events, until what is answered is dropped. It is added and taken away, never
/// said as a sum: two that come at once could say theirs in the wrong order.
#[derive(Debug)]
pub(crate) struct Following(());

impl Following {
    pub(crate) fn begin() -> Self {
        gauge!(FOLLOWERS).increment(1.0);
        Self(())
    }
}

impl Drop for Following {
    fn drop(&mut self) {
        gauge!(FOLLOWERS).decrement(1.0);
    }
}
