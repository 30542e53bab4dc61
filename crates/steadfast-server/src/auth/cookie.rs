//! The session cookie.
//!
//! Scripts cannot read it, and cross-site requests carry it only for top-level navigation: a person who
//! follows a link from a chat or a dashboard is logged in, and such a request can only read (see
//! [`origin`](super::origin)).
//!
//! Browsers share cookies between all ports of a host, and each instance has its own sessions, so the
//! name contains the port: logging in to one instance does not log out of another. Over TLS the name has
//! the `__Host-` prefix, which binds it to TLS and to this host. A server with TLS accepts only that one:
//! the plain cookie could be set by a neighbouring host without TLS.

use std::time::Duration;

use http::header::{COOKIE, HOST, ORIGIN};
use http::uri::Authority;
use http::{HeaderMap, HeaderValue};

const COOKIE_NAME: &str = "steadfast";
const TLS_COOKIE_NAME: &str = "__Host-steadfast";
/// The maximum lifetime of a session.
const MAX_AGE: Duration = Duration::from_secs(7 * 24 * 60 * 60);

pub(crate) fn session(headers: &HeaderMap, over_tls: bool) -> Option<&str> {
    let plain = || value(headers, &name(headers, false)).filter(|_| !over_tls);
    value(headers, &name(headers, true)).or_else(plain)
}

/// The name of the cookie for the port of this request.
fn name(headers: &HeaderMap, is_secure: bool) -> String {
    let name = if is_secure { TLS_COOKIE_NAME } else { COOKIE_NAME };
    match port(headers) {
        Some(port) => format!("{name}-{port}"),
        None => name.to_owned(),
    }
}

fn port(headers: &HeaderMap) -> Option<u16> {
    let host = headers.get(HOST)?;
    Authority::try_from(host.as_bytes()).ok()?.port_u16()
}

pub(crate) fn value<'h>(headers: &'h HeaderMap, wanted: &str) -> Option<&'h str> {
    let texts = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = texts.flat_map(|text| text.split(';')).filter_map(|pair| pair.split_once('='));
    pairs.find(|(name, _)| name.trim() == wanted).map(|(_, value)| value.trim())
}

/// Whether the browser uses TLS, to this server or, as the `Origin` of the form shows, to a proxy.
fn is_secure(headers: &HeaderMap, over_tls: bool) -> bool {
    let origin = headers.get(ORIGIN).map(HeaderValue::as_bytes);
    over_tls || origin.is_some_and(|origin| origin.starts_with(b"https://"))
}

/// The `Set-Cookie` value for a session id.
pub(crate) fn set_session(id: &str, headers: &HeaderMap, over_tls: bool) -> String {
    set_cookie(id, MAX_AGE.as_secs(), headers, over_tls)
}

/// The `Set-Cookie` value that deletes the cookie.
pub(crate) fn clear_session(headers: &HeaderMap, over_tls: bool) -> String {
    set_cookie("", 0, headers, over_tls)
}

fn set_cookie(value: &str, max_age: u64, headers: &HeaderMap, over_tls: bool) -> String {
    let is_secure = is_secure(headers, over_tls);
    let name = name(headers, is_secure);
    let secure = if is_secure { "; Secure" } else { "" };
    format!("{name}={value}; Path=/; Max-Age={max_age}; HttpOnly; SameSite=Lax{secure}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::header_map as headers;

    /// K1: the id is found among other cookies, and the TLS-bound cookie wins.
    #[test]
    fn session_id_is_found_among_other_cookies() {
        let of = |cookie| session(&headers(&[("cookie", cookie)]), false).map(str::to_owned);
        assert_eq!(of("theme=dark; steadfast=abc").as_deref(), Some("abc"));
        assert_eq!(of("steadfast=abc; __Host-steadfast=def").as_deref(), Some("def"));
        assert_eq!(of("xsteadfast=abc; theme"), None);
    }

    /// K1: over TLS only the TLS-bound cookie counts.
    #[test]
    fn plain_cookie_over_tls_is_ignored() {
        let of = |cookie| session(&headers(&[("cookie", cookie)]), true).map(str::to_owned);
        assert_eq!(of("steadfast=abc"), None);
        assert_eq!(of("steadfast=abc; __Host-steadfast=def").as_deref(), Some("def"));
    }

    /// K1: instances on other ports of a host have their own cookies.
    #[test]
    fn session_cookie_is_bound_to_port() {
        let at = |host, cookie| {
            session(&headers(&[("host", host), ("cookie", cookie)]), false).map(str::to_owned)
        };
        let both = "steadfast-7701=one; steadfast-7702=two; steadfast=none";
        assert_eq!(at("localhost:7701", both).as_deref(), Some("one"));
        assert_eq!(at("[::1]:7702", both).as_deref(), Some("two"));
        assert_eq!(at("localhost:7703", both), None);
        assert_eq!(at("localhost", both).as_deref(), Some("none"));
        let cookie = set_session("abc", &headers(&[("host", "localhost:7701")]), true);
        assert!(cookie.starts_with("__Host-steadfast-7701=abc; Path=/;"), "{cookie}");
    }

    /// K1: scripts cannot read it, and other sites send it only with top-level navigation.
    #[test]
    fn session_cookie_is_http_only_and_same_site() {
        let plain = set_session("abc", &HeaderMap::new(), false);
        assert_eq!(plain, "steadfast=abc; Path=/; Max-Age=604800; HttpOnly; SameSite=Lax");
        let proxied = headers(&[("origin", "https://retry.example")]);
        for secure in
            [set_session("abc", &HeaderMap::new(), true), set_session("abc", &proxied, false)]
        {
            assert!(secure.starts_with("__Host-steadfast=abc; Path=/;"), "{secure}");
            assert!(secure.ends_with("; Secure"), "{secure}");
        }
        assert!(clear_session(&HeaderMap::new(), true).contains("Max-Age=0"));
    }
}
