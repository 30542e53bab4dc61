//! Flash messages: the outcome of an action, shown once on the next page.
//!
//! A successful form redirects, so the outcome travels in a cookie that lives for a few seconds; the
//! next page shows it and deletes the cookie. The cookie holds one of a fixed set of codes, with
//! numbers, and never text: a forged cookie cannot put words on a page.

use axum::response::{IntoResponse, Redirect, Response};
use http::header::SET_COOKIE;
use http::{HeaderMap, HeaderValue};

use super::parts;
use crate::auth::cookie;

const COOKIE_NAME: &str = "steadfast-flash";
/// Long enough for the next page to load.
const MAX_AGE_SECONDS: u8 = 10;
const EXPIRED_COOKIE: &str = "steadfast-flash=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flash {
    /// The code in the cookie, and the message.
    Fixed(&'static str, &'static str),
    /// The number of tasks and the seconds over which they become due.
    RequeuedAll(u64, u64),
}

impl Flash {
    pub(super) const PAUSED: Self = Self::Fixed("paused", "Queue paused");
    pub(super) const RESUMED: Self = Self::Fixed("resumed", "Queue resumed");
    pub(super) const OPENED: Self = Self::Fixed("opened", "Breaker opened");
    pub(super) const CLOSED: Self = Self::Fixed("closed", "Breaker closed");
    pub(super) const ISOLATED: Self = Self::Fixed("isolated", "Breaker held open");
    pub(super) const CANCELLED: Self = Self::Fixed("cancelled", "Task cancelled");
    pub(super) const REQUEUED: Self = Self::Fixed("requeued", "Task requeued");
    pub(super) const RUN_NOW: Self = Self::Fixed("run-now", "Task is due now");
    pub(super) const EXPIRY_SET: Self = Self::Fixed("expires", "Expiry updated");

    const FIXED: [Self; 9] = [
        Self::PAUSED,
        Self::RESUMED,
        Self::OPENED,
        Self::CLOSED,
        Self::ISOLATED,
        Self::CANCELLED,
        Self::REQUEUED,
        Self::RUN_NOW,
        Self::EXPIRY_SET,
    ];

    pub(super) fn redirect(self, page: &str) -> Response {
        let cookie = format!(
            "{COOKIE_NAME}={}; Path=/; Max-Age={MAX_AGE_SECONDS}; HttpOnly; SameSite=Strict",
            self.code()
        );
        ([(SET_COOKIE, cookie)], Redirect::to(page)).into_response()
    }

    /// The message of the previous request, if there is one.
    pub(super) fn from_cookie(headers: &HeaderMap) -> Option<Self> {
        let code = cookie::value(headers, COOKIE_NAME)?;
        let known = Self::FIXED.into_iter().find(|flash| flash.code() == code);
        known.or_else(|| {
            let (tasks, seconds) = code.strip_prefix("requeued-")?.split_once('-')?;
            Some(Self::RequeuedAll(tasks.parse().ok()?, seconds.parse().ok()?))
        })
    }

    pub(super) fn clear(response: &mut Response) {
        response.headers_mut().append(SET_COOKIE, HeaderValue::from_static(EXPIRED_COOKIE));
    }

    fn code(self) -> String {
        match self {
            Self::Fixed(code, _) => code.to_owned(),
            Self::RequeuedAll(tasks, seconds) => format!("requeued-{tasks}-{seconds}"),
        }
    }

    pub(super) fn message(self) -> String {
        match self {
            Self::Fixed(_, message) => message.to_owned(),
            Self::RequeuedAll(tasks, 0) => format!("Requeued {}", parts::pluralize(tasks, "task")),
            Self::RequeuedAll(tasks, seconds) => {
                let span = parts::seconds(seconds as f64);
                format!("Requeued {} over {span}", parts::pluralize(tasks, "task"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use http::header::COOKIE;

    use super::*;

    fn parse(code: &str) -> Option<Flash> {
        let cookie = HeaderValue::from_str(&format!("a=b; {COOKIE_NAME}={code}")).unwrap();
        Flash::from_cookie(&HeaderMap::from_iter([(COOKIE, cookie)]))
    }

    /// H2, K4: only known codes are shown.
    #[test]
    fn forged_cookie_is_ignored() {
        for flash in Flash::FIXED.into_iter().chain([Flash::RequeuedAll(15, 3)]) {
            assert_eq!(parse(&flash.code()), Some(flash));
        }
        assert_eq!(Flash::RequeuedAll(15, 3).message(), "Requeued 15 tasks over 3 s");
        for code in ["", "won", "requeued-", "requeued-1", "requeued-1-x", "requeued--1-1"] {
            assert_eq!(parse(code), None, "{code}");
        }
    }
}
