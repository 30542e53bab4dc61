//! What was just done, told once on the page that comes after it.
//!
//! A form that did what it says leads to another page, which would say nothing of it. So the browser
//! keeps a word for some seconds; the next page tells it and has it forgotten. Whoever can write a
//! cookie could have a page say anything, so it is one of a few words, with numbers, and never a text.

use axum::response::{IntoResponse, Redirect, Response};
use http::header::SET_COOKIE;
use http::{HeaderMap, HeaderValue};

use super::parts;
use crate::auth::cookie;

const NAME: &str = "steadfast-done";
/// Long enough for the next page to be asked for.
const SECONDS: u8 = 10;
const FORGOTTEN: &str = "steadfast-done=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict";

/// Something that was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Done {
    Paused,
    Resumed,
    Opened,
    Closed,
    Isolated,
    Cancelled,
    Requeued,
    RunNow,
    Expires,
    /// So many tasks, over so many seconds.
    RequeuedAll(u64, u64),
}

impl Done {
    const PLAIN: [Self; 9] = [
        Self::Paused,
        Self::Resumed,
        Self::Opened,
        Self::Closed,
        Self::Isolated,
        Self::Cancelled,
        Self::Requeued,
        Self::RunNow,
        Self::Expires,
    ];

    /// Leads to this page, which tells it.
    pub(super) fn then(self, page: &str) -> Response {
        let kept =
            format!("{NAME}={}; Path=/; Max-Age={SECONDS}; HttpOnly; SameSite=Strict", self.word());
        ([(SET_COOKIE, kept)], Redirect::to(page)).into_response()
    }

    /// What was done last, if that was just now.
    pub(super) fn last(headers: &HeaderMap) -> Option<Self> {
        let word = cookie::named(headers, NAME)?;
        let plain = Self::PLAIN.into_iter().find(|done| done.word() == word);
        plain.or_else(|| {
            let (tasks, seconds) = word.strip_prefix("requeued-")?.split_once('-')?;
            Some(Self::RequeuedAll(tasks.parse().ok()?, seconds.parse().ok()?))
        })
    }

    /// Has the browser forget it.
    pub(super) fn forget(response: &mut Response) {
        response.headers_mut().append(SET_COOKIE, HeaderValue::from_static(FORGOTTEN));
    }

    fn word(self) -> String {
        let word = match self {
            Self::Paused => "paused",
            Self::Resumed => "resumed",
            Self::Opened => "opened",
            Self::Closed => "closed",
            Self::Isolated => "isolated",
            Self::Cancelled => "cancelled",
            Self::Requeued => "requeued",
            Self::RunNow => "run-now",
            Self::Expires => "expires",
            Self::RequeuedAll(tasks, seconds) => return format!("requeued-{tasks}-{seconds}"),
        };
        word.to_owned()
    }

    /// For people.
    pub(super) fn said(self) -> String {
        let said = match self {
            Self::Paused => "Paused the queue",
            Self::Resumed => "Resumed the queue",
            Self::Opened => "Opened the breaker",
            Self::Closed => "Closed the breaker",
            Self::Isolated => "Isolated the breaker",
            Self::Cancelled => "Cancelled",
            Self::Requeued => "Requeued",
            Self::RunNow => "Made it due now",
            Self::Expires => "Changed when it is too late",
            Self::RequeuedAll(tasks, 0) => return format!("Requeued {}", parts::count(tasks)),
            Self::RequeuedAll(tasks, seconds) => {
                let over = parts::seconds(seconds as f64);
                return format!("Requeued {}, over {over}", parts::count(tasks));
            }
        };
        said.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use http::header::COOKIE;

    use super::*;

    fn last(word: &str) -> Option<Done> {
        let cookie = HeaderValue::from_str(&format!("a=b; {NAME}={word}")).unwrap();
        Done::last(&HeaderMap::from_iter([(COOKIE, cookie)]))
    }

    /// H2, K4: what is kept is told, and nothing that somebody else made up.
    #[test]
    fn only_what_can_be_done_is_told() {
        for done in Done::PLAIN.into_iter().chain([Done::RequeuedAll(15, 3)]) {
            assert_eq!(last(&done.word()), Some(done));
        }
        assert_eq!(Done::RequeuedAll(15, 3).said(), "Requeued 15, over 3 s");
        for word in ["", "won", "requeued-", "requeued-1", "requeued-1-x", "requeued--1-1"] {
            assert_eq!(last(word), None, "{word}");
        }
    }
}
