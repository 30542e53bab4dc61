//! The errors of failed calls.
//!
//! The extractors derive the facts: how far a request got from the client's error, the meaning of a
//! response from its status. This module adds messages, redacted of the secrets that were sent or that
//! a server quotes.

use std::error::Error;
use std::io;
use std::iter;
use std::time::{Duration, SystemTime};

use reqwest::{Response, StatusCode};
use steadfast::extract;
use steadfast::fault::{MAX_CAUSES, RetrySignals};
use tokio::time::timeout;

use super::super::targets::Rejection;
use super::super::{HandlerError, text};
use super::request::Request;
use super::response::read_body;

/// How much of a response body goes into an error message.
const MAX_EXCERPT_CHARS: usize = 500;
/// How much of the body is read for that, and for how long: the status matters more.
const MAX_EXCERPT_BYTES: usize = 4 * 1024;
const EXCERPT_TIMEOUT: Duration = Duration::from_secs(2);

/// The error of a response without success (J6).
pub(super) async fn status_error(
    request: &Request,
    mut response: Response,
    signals: RetrySignals,
) -> HandlerError {
    let status = response.status();
    let now = SystemTime::now();
    let fault = extract::http_response_with(signals, status, response.headers(), now);
    let excerpt = match timeout(EXCERPT_TIMEOUT, read_body(&mut response, MAX_EXCERPT_BYTES)).await
    {
        Ok(Ok((bytes, _))) => excerpt(request, &bytes),
        _ => String::new(),
    };
    let colon = if excerpt.is_empty() { "" } else { ": " };
    request.returned(fault, &format!("{}{colon}{excerpt}", status_text(status)))
}

/// The beginning of a body, redacted; empty for a binary body.
fn excerpt(request: &Request, bytes: &[u8]) -> String {
    // The last character may be cut.
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) if error.error_len().is_none() => {
            let valid = bytes.get(..error.valid_up_to()).unwrap_or_default();
            std::str::from_utf8(valid).unwrap_or_default()
        }
        Err(_) => "",
    };
    // Redacted before it is cut: half a secret would not be found.
    start_of_text(&request.secrets.redact(text), MAX_EXCERPT_CHARS)
}

/// The first `max` characters of a text, in one line.
fn start_of_text(text: &str, max: usize) -> String {
    let line = text::one_line(text);
    match line.char_indices().nth(max) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line,
    }
}

fn status_text(status: StatusCode) -> String {
    match status.canonical_reason() {
        Some(reason) => format!("{} {reason}", status.as_u16()),
        None => status.as_u16().to_string(),
    }
}

/// The error of a request without a response, or with an incomplete one.
pub(super) fn transport_error(request: &Request, error: &reqwest::Error) -> HandlerError {
    if let Some(rejection) = causes(error).find_map(|cause| cause.downcast_ref::<Rejection>()) {
        return HandlerError::rejected(rejection.to_string());
    }
    request.failed(extract::failure(error), &reason(error))
}

/// Why there is no response, in words for users.
fn reason(error: &reqwest::Error) -> String {
    let io = causes(error).filter_map(|cause| cause.downcast_ref::<io::Error>()).last();
    if let Some(known) = io.and_then(|io| io_reason(io.kind())) {
        return known.to_owned();
    }
    // The outermost error names the URL, the inner ones the reason.
    let reasons = causes(error).skip(1).map(|cause| cause.to_string());
    let reasons = reasons.filter(|reason| !is_layer(reason));
    iter::once("no response".to_owned()).chain(reasons).collect::<Vec<_>>().join(": ")
}

/// A message that only names a layer of the HTTP client.
fn is_layer(reason: &str) -> bool {
    reason.starts_with("client error (") || reason == "tcp connect error"
}

const fn io_reason(kind: io::ErrorKind) -> Option<&'static str> {
    Some(match kind {
        io::ErrorKind::ConnectionRefused => "connection refused",
        io::ErrorKind::ConnectionReset => "connection reset",
        io::ErrorKind::ConnectionAborted => "connection aborted",
        io::ErrorKind::HostUnreachable => "host unreachable",
        io::ErrorKind::NetworkUnreachable => "network unreachable",
        _ => return None,
    })
}

fn causes<'e>(error: &'e (dyn Error + 'static)) -> impl Iterator<Item = &'e (dyn Error + 'static)> {
    iter::successors(Some(error), |error| (*error).source()).take(MAX_CAUSES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn excerpt_is_cut_between_characters() {
        assert_eq!(start_of_text("ää\nöö", 3), "ää …");
        assert_eq!(start_of_text("öö", 2), "öö");
    }
}
