//! The cookie that holds the id of a session.
//!
//! Scripts cannot read it, and of other sites' requests only those carry it that follow a link: a
//! person who comes from a chat or a dashboard is who they are, and what such a request may do is
//! to look (see [`origin`](super::origin)).
//!
//! A browser keeps one cookie of a name for all ports of a host, and each instance has sessions of
//! its own. So the port that was asked is a part of the name: who logs in to one of them stays
//! logged in to the others. Where the page came over TLS, the name begins with `__Host-`, which
//! binds it to TLS and to this very host. A server that speaks TLS itself takes no other: the plain
//! one could be set by whoever answers for a neighbouring host without TLS.

use std::time::Duration;

use http::header::{COOKIE, HOST, ORIGIN};
use http::uri::Authority;
use http::{HeaderMap, HeaderValue};

const PLAIN: &str = "steadfast";
const OVER_TLS: &str = "__Host-steadfast";
/// As long as a session lives at most.
const LONGEST: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// The id of the session in a request.
pub(crate) fn session(headers: &HeaderMap, over_tls: bool) -> Option<&str> {
    let plain = || named(headers, &name(headers, false)).filter(|_| !over_tls);
    named(headers, &name(headers, true)).or_else(plain)
}

/// What the cookie is called at the port that this request is for.
fn name(headers: &HeaderMap, is_secure: bool) -> String {
    let name = if is_secure { OVER_TLS } else { PLAIN };
    match port(headers) {
        Some(port) => format!("{name}-{port}"),
        None => name.to_owned(),
    }
}

fn port(headers: &HeaderMap) -> Option<u16> {
    let host = headers.get(HOST)?;
    Authority::try_from(host.as_bytes()).ok()?.port_u16()
}

/// The value of a cookie in a request.
pub(crate) fn named<'h>(headers: &'h HeaderMap, wanted: &str) -> Option<&'h str> {
    let texts = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = texts.flat_map(|text| text.split(';')).filter_map(|pair| pair.split_once('='));
    pairs.find(|(name, _)| name.trim() == wanted).map(|(_, value)| value.trim())
}

/// Whether a page came over TLS: to this server, or to a proxy before it, which the browser
/// tells when it logs in.
fn is_secure(headers: &HeaderMap, over_tls: bool) -> bool {
    let from = headers.get(ORIGIN).map(HeaderValue::as_bytes);
    over_tls || from.is_some_and(|origin| origin.starts_with(b"https://"))
}

/// Has the browser that sent these keep a session's id.
pub(crate) fn begin(id: &str, headers: &HeaderMap, over_tls: bool) -> String {
    set(id, LONGEST.as_secs(), headers, over_tls)
}

/// Has it forget the id.
pub(crate) fn end(headers: &HeaderMap, over_tls: bool) -> String {
    set("", 0, headers, over_tls)
}

fn set(value: &str, seconds: u64, headers: &HeaderMap, over_tls: bool) -> String {
    let is_secure = is_secure(headers, over_tls);
    let name = name(headers, is_secure);
    let secure = if is_secure { "; Secure" } else { "" };
    format!("{name}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}")
}

#[cfg(test)]
mod tests {
    use http::HeaderName;

    use super::*;

    fn headers<const N: usize>(pairs: [(HeaderName, &'static str); N]) -> HeaderMap {
        pairs.into_iter().map(|(name, value)| (name, HeaderValue::from_static(value))).collect()
    }

    /// K1: the id is found among others, and the one that is bound to TLS comes first.
    #[test]
    fn the_session_is_found_among_other_cookies() {
        let of = |cookie| session(&headers([(COOKIE, cookie)]), false).map(str::to_owned);
        assert_eq!(of("theme=dark; steadfast=abc").as_deref(), Some("abc"));
        assert_eq!(of("steadfast=abc; __Host-steadfast=def").as_deref(), Some("def"));
        assert_eq!(of("xsteadfast=abc; theme"), None);
    }

    /// K1: over TLS a cookie counts that nobody can have set without it.
    #[test]
    fn over_tls_the_plain_cookie_is_nobodys() {
        let of = |cookie| session(&headers([(COOKIE, cookie)]), true).map(str::to_owned);
        assert_eq!(of("steadfast=abc"), None);
        assert_eq!(of("steadfast=abc; __Host-steadfast=def").as_deref(), Some("def"));
    }

    /// K1: instances at other ports of a host have cookies of their own.
    #[test]
    fn the_session_is_that_of_the_port() {
        let at = |host, cookie| {
            session(&headers([(HOST, host), (COOKIE, cookie)]), false).map(str::to_owned)
        };
        let both = "steadfast-7701=one; steadfast-7702=two; steadfast=none";
        assert_eq!(at("localhost:7701", both).as_deref(), Some("one"));
        assert_eq!(at("[::1]:7702", both).as_deref(), Some("two"));
        assert_eq!(at("localhost:7703", both), None);
        assert_eq!(at("localhost", both).as_deref(), Some("none"));
        let begun = begin("abc", &headers([(HOST, "localhost:7701")]), true);
        assert!(begun.starts_with("__Host-steadfast-7701=abc; Path=/;"), "{begun}");
    }

    /// K1: scripts never see it, and other sites send it only by links to look at.
    #[test]
    fn the_cookie_is_closed_to_scripts_and_other_sites() {
        let plain = begin("abc", &HeaderMap::new(), false);
        assert_eq!(plain, "steadfast=abc; Path=/; Max-Age=604800; HttpOnly; SameSite=Lax");
        let proxied = headers([(ORIGIN, "https://retry.example")]);
        for secure in [begin("abc", &HeaderMap::new(), true), begin("abc", &proxied, false)] {
            assert!(secure.starts_with("__Host-steadfast=abc; Path=/;"), "{secure}");
            assert!(secure.ends_with("; Secure"), "{secure}");
        }
        assert!(end(&HeaderMap::new(), true).contains("Max-Age=0"));
    }
}
