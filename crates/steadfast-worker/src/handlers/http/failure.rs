//! The errors of failed calls.
//!
//! The extractors derive the facts: how far a request got from the client's error, the meaning of a
//! response from its status. This module adds messages, redacted of the secrets that were sent or that
//! a server quotes.

use std::error::Error;
use std::iter;
use std::time::{Duration, SystemTime};

use reqwest::{Response, StatusCode};
use steadfast::extract;
use steadfast::fault::MAX_CAUSES;
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
pub(super) async fn status_error(request: &Request, mut response: Response) -> HandlerError {
    let status = response.status();
    let fault = extract::http_response(status, response.headers(), SystemTime::now());
    let excerpt = match timeout(EXCERPT_TIMEOUT, read_body(&mut response, MAX_EXCERPT_BYTES)).await
    {
        Ok(Ok((bytes, _))) => excerpt(request, &bytes),
        _ => String::new(),
    };
    let colon = if excerpt.is_empty() { "" } else { ": " };
    request.failed(fault, &format!("answered {}{colon}{excerpt}", status_text(status)))
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
    // The outermost error names the URL, the inner ones the reason.
    let reasons = causes(error).skip(1).map(|cause| cause.to_string());
    let message: Vec<_> = iter::once("no response".to_owned()).chain(reasons).collect();
    request.failed(extract::failure(error), &message.join(": "))
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
