//! What every answer tells a browser not to do with it (K1).
//!
//! The page is made of its own files alone, so everything else is forbidden: scripts and styles
//! in the text of a page, other hosts, frames, guesses about types. An answer that needs another
//! rule says so itself, and keeps it. A proxy is told one thing, too: to hand a stream on as it
//! comes.

use axum::response::Response;
use http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue,
    REFERRER_POLICY, STRICT_TRANSPORT_SECURITY, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};

const CSP: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
                   connect-src 'self'; font-src 'self'; form-action 'self'; base-uri 'none'; \
                   frame-ancestors 'none'";
const NOTHING: &str = "camera=(), microphone=(), geolocation=(), payment=(), usb=()";

const ALWAYS: [(HeaderName, &str); 8] = [
    (CACHE_CONTROL, "no-store"),
    (CONTENT_SECURITY_POLICY, CSP),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (X_FRAME_OPTIONS, "DENY"),
    (REFERRER_POLICY, "same-origin"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (HeaderName::from_static("permissions-policy"), NOTHING),
];
/// A year: whoever came over TLS once comes over nothing else.
const OVER_TLS: (HeaderName, &str) = (STRICT_TRANSPORT_SECURITY, "max-age=31536000");

/// A proxy that gathers an answer before it hands it on would hold back a stream for good.
const AS_IT_COMES: (HeaderName, &str) = (HeaderName::from_static("x-accel-buffering"), "no");

/// Adds what is not there.
pub(crate) fn strict(mut response: Response) -> Response {
    if is_stream(response.headers()) {
        add(response.headers_mut(), &AS_IT_COMES);
    }
    ALWAYS.iter().for_each(|header| add(response.headers_mut(), header));
    response
}

/// Whether an answer goes on for as long as somebody follows it.
pub(crate) fn is_stream(headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE).map(HeaderValue::as_bytes);
    kind.is_some_and(|kind| kind.starts_with(b"text/event-stream"))
}

/// The same where the connection is TLS.
pub(crate) fn strict_over_tls(response: Response) -> Response {
    let mut response = strict(response);
    add(response.headers_mut(), &OVER_TLS);
    response
}

fn add(headers: &mut HeaderMap, (name, value): &(HeaderName, &'static str)) {
    headers.entry(name).or_insert(HeaderValue::from_static(value));
}
