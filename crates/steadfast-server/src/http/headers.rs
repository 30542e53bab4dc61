//! Security headers on every response (K1).
//!
//! The web UI loads only its own files, so the content security policy forbids everything else: inline
//! scripts and styles, other hosts, frames and type sniffing. A response that needs another value sets
//! the header itself. Event streams also get a header that turns off buffering in proxies.

use axum::response::Response;
use http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue,
    REFERRER_POLICY, STRICT_TRANSPORT_SECURITY, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};

const CSP: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
                   connect-src 'self'; font-src 'self'; form-action 'self'; base-uri 'none'; \
                   frame-ancestors 'none'";
const PERMISSIONS_POLICY: &str = "camera=(), microphone=(), geolocation=(), payment=(), usb=()";

const SECURITY_HEADERS: [(HeaderName, &str); 8] = [
    (CACHE_CONTROL, "no-store"),
    (CONTENT_SECURITY_POLICY, CSP),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (X_FRAME_OPTIONS, "DENY"),
    (REFERRER_POLICY, "same-origin"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (HeaderName::from_static("permissions-policy"), PERMISSIONS_POLICY),
];
const HSTS: (HeaderName, &str) = (STRICT_TRANSPORT_SECURITY, "max-age=31536000");

/// Turns off response buffering in nginx, which would hold back an event stream.
const NO_BUFFERING: (HeaderName, &str) = (HeaderName::from_static("x-accel-buffering"), "no");

pub(crate) fn add_security_headers(mut response: Response) -> Response {
    if is_event_stream(response.headers()) {
        add(response.headers_mut(), &NO_BUFFERING);
    }
    SECURITY_HEADERS.iter().for_each(|header| add(response.headers_mut(), header));
    response
}

pub(crate) fn is_event_stream(headers: &HeaderMap) -> bool {
    let content_type = headers.get(CONTENT_TYPE).map(HeaderValue::as_bytes);
    content_type.is_some_and(|value| value.starts_with(b"text/event-stream"))
}

/// The same for TLS connections, with HSTS.
pub(crate) fn add_security_headers_over_tls(response: Response) -> Response {
    let mut response = add_security_headers(response);
    add(response.headers_mut(), &HSTS);
    response
}

fn add(headers: &mut HeaderMap, (name, value): &(HeaderName, &'static str)) {
    headers.entry(name).or_insert(HeaderValue::from_static(value));
}
