//! The facts of a call that failed.
//!
//! How far a request got is the client's to say, what an answer means is told by its status:
//! both are the extractors' work. What is added here is words for people, without the secrets
//! that were sent or that a server quotes.

use std::error::Error;
use std::iter;
use std::time::{Duration, SystemTime};

use reqwest::{Response, StatusCode};
use steadfast::extract;
use steadfast::fault::MAX_CAUSES;
use tokio::time::timeout;

use super::super::targets::Refusal;
use super::super::{HandlerFault, text};
use super::answer::body;
use super::request::Request;

/// How much of what a server said goes into a fault, in characters.
const IN_A_FAULT: usize = 500;
/// How much is read for that, and how long it may take: the status is what matters.
const EXCERPT: usize = 4 * 1024;
const EXCERPT_TIME: Duration = Duration::from_secs(2);

/// The facts of an answer that is no success (J6).
pub(super) async fn unsuccessful(request: &Request, mut answer: Response) -> HandlerFault {
    let status = answer.status();
    let fault = extract::http_response(status, answer.headers(), SystemTime::now());
    let said = match timeout(EXCERPT_TIME, body(&mut answer, EXCERPT)).await {
        Ok(Ok((bytes, _))) => words(request, &bytes),
        _ => String::new(),
    };
    let colon = if said.is_empty() { "" } else { ": " };
    request.failed(fault, &format!("answered {}{colon}{said}", name(status)))
}

/// What a body says to people, without secrets. Binary bodies say nothing.
fn words(request: &Request, bytes: &[u8]) -> String {
    // A cut may have gone through the last character.
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) if error.error_len().is_none() => {
            let valid = bytes.get(..error.valid_up_to()).unwrap_or_default();
            std::str::from_utf8(valid).unwrap_or_default()
        }
        Err(_) => "",
    };
    // Hidden before it is cut: half a secret would not be found.
    first_words(&request.secrets.hidden(text), IN_A_FAULT)
}

/// The beginning of a text, at most so many characters.
fn first_words(text: &str, most: usize) -> String {
    let line = text::one_line(text);
    match line.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line,
    }
}

fn name(status: StatusCode) -> String {
    match status.canonical_reason() {
        Some(reason) => format!("{} {reason}", status.as_u16()),
        None => status.as_u16().to_string(),
    }
}

/// The facts of a request that got no answer, or not the whole of it.
pub(super) fn unanswered(request: &Request, error: &reqwest::Error) -> HandlerFault {
    if let Some(refusal) = causes(error).find_map(|cause| cause.downcast_ref::<Refusal>()) {
        return HandlerFault::refused(refusal.to_string());
    }
    // The outermost one says the URL; it is the causes that know why.
    let why = causes(error).skip(1).map(|cause| cause.to_string());
    let words: Vec<_> = iter::once("no answer".to_owned()).chain(why).collect();
    request.failed(extract::failure(error), &words.join(": "))
}

fn causes<'e>(error: &'e (dyn Error + 'static)) -> impl Iterator<Item = &'e (dyn Error + 'static)> {
    iter::successors(Some(error), |error| (*error).source()).take(MAX_CAUSES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_words_are_whole_characters() {
        assert_eq!(first_words("ää\nöö", 3), "ää …");
        assert_eq!(first_words("öö", 2), "öö");
    }
}
