//! The cookie that holds the id of a session.
//!
//! Scripts cannot read it and no other site's request carries it. Where the page came over TLS,
//! its name begins with `__Host-`, which binds it to TLS and to this very host.

use std::time::Duration;

use http::header::{COOKIE, ORIGIN};
use http::{HeaderMap, HeaderValue};

const PLAIN: &str = "steadfast";
const OVER_TLS: &str = "__Host-steadfast";
/// As long as a session lives at most.
const LONGEST: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// The id of the session in a request.
pub(crate) fn session(headers: &HeaderMap) -> Option<&str> {
    named(headers, OVER_TLS).or_else(|| named(headers, PLAIN))
}

fn named<'h>(headers: &'h HeaderMap, wanted: &str) -> Option<&'h str> {
    let texts = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = texts.flat_map(|text| text.split(';')).filter_map(|pair| pair.split_once('='));
    pairs.find(|(name, _)| name.trim() == wanted).map(|(_, value)| value.trim())
}

/// Whether a page came over TLS: to this server, or to a proxy before it, which the browser
/// tells when it logs in.
pub(crate) fn is_secure(headers: &HeaderMap, over_tls: bool) -> bool {
    let from = headers.get(ORIGIN).map(HeaderValue::as_bytes);
    over_tls || from.is_some_and(|origin| origin.starts_with(b"https://"))
}

/// Has the browser keep a session's id.
pub(crate) fn begin(id: &str, is_secure: bool) -> String {
    set(id, LONGEST.as_secs(), is_secure)
}

/// Has the browser forget it.
pub(crate) fn end(is_secure: bool) -> String {
    set("", 0, is_secure)
}

fn set(value: &str, seconds: u64, is_secure: bool) -> String {
    let (name, secure) = if is_secure { (OVER_TLS, "; Secure") } else { (PLAIN, "") };
    format!("{name}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Strict{secure}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// K1: the id is found among others, and the one that is bound to TLS comes first.
    #[test]
    fn the_session_is_found_among_other_cookies() {
        let of = |cookie: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(COOKIE, HeaderValue::from_static(cookie));
            session(&headers).map(str::to_owned)
        };
        assert_eq!(of("theme=dark; steadfast=abc").as_deref(), Some("abc"));
        assert_eq!(of("steadfast=abc; __Host-steadfast=def").as_deref(), Some("def"));
        assert_eq!(of("xsteadfast=abc; theme"), None);
    }

    /// K1: scripts and other sites never see it.
    #[test]
    fn the_cookie_is_closed_to_scripts_and_other_sites() {
        let plain = begin("abc", false);
        assert_eq!(plain, "steadfast=abc; Path=/; Max-Age=604800; HttpOnly; SameSite=Strict");
        let secure = begin("abc", true);
        assert!(
            secure.starts_with("__Host-steadfast=abc; Path=/;") && secure.ends_with("; Secure")
        );
        assert!(end(true).contains("Max-Age=0"));
    }
}
