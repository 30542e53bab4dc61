//! Requests, and the streams that stay open.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use http::{Method, StatusCode};
use metrics::{counter, gauge, histogram};

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

/// How many follow events.
#[derive(Clone, Debug, Default)]
pub(crate) struct Followers(Arc<AtomicUsize>);

impl Followers {
    /// One more, until what is answered is dropped.
    pub(crate) fn one_more(&self) -> Following {
        self.tell(self.0.fetch_add(1, Ordering::Relaxed) + 1);
        Following(self.clone())
    }

    fn tell(&self, count: usize) {
        gauge!("steadfast_http_followers").set(count as f64);
    }
}

/// One that follows.
#[derive(Debug)]
pub(crate) struct Following(Followers);

impl Drop for Following {
    fn drop(&mut self) {
        let Self(followers) = self;
        followers.tell(followers.0.fetch_sub(1, Ordering::Relaxed).saturating_sub(1));
    }
}
