//! The HTTP layer: connections, request parsing and responses.

mod body;
mod client_network;
mod headers;
mod idempotency_key;
mod listener;
mod media;
mod path_parameters;
mod problem;
mod proxy;
mod query;
mod request;
mod tls;
mod traceparent;
mod write_timeout;

pub(crate) use body::{Body, BodyOrDefault, RequestBody, request_body, text, unauthenticated_text};
pub(crate) use client_network::client_network;
pub(crate) use headers::{add_security_headers, add_security_headers_over_tls, is_event_stream};
pub(crate) use idempotency_key::IdempotencyKey;
pub(crate) use listener::{Listener, serve_until};
pub(crate) use media::{accepts, has_content_type};
pub(crate) use path_parameters::{PathExecutionId, PathName, PathTaskId, PathWorkflowId};
pub(crate) use problem::{
    JsonResult, Problem, ProblemDetails, internal_error, method_not_allowed, no_such_path,
    panicked, store_timeout,
};
pub(crate) use proxy::{OverTls, TrustedProxies};
pub use proxy::{ParseProxyError, Proxy};
pub(crate) use query::{ListQuery, PageParameters, Query};
pub(crate) use request::{RequestId, observe_request};
pub(crate) use tls::Tls;
pub use tls::TlsError;
pub(crate) use traceparent::Traceparent;

/// A header map for tests; names may be repeated.
#[cfg(test)]
pub(crate) fn header_map(pairs: &[(&str, &str)]) -> http::HeaderMap {
    let mut headers = http::HeaderMap::new();
    for (name, value) in pairs {
        let name = http::HeaderName::from_bytes(name.as_bytes()).unwrap();
        headers.append(name, value.parse().unwrap());
    }
    headers
}
