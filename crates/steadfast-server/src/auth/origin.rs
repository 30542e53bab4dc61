//! Which page a browser asks from (K1).
//!
//! A browser sends requests for any page that it shows, and to this server even from pages of
//! strangers. Two things keep them out, and neither needs a token in a form:
//!
//! - What changes something must come from the server's own page. Browsers say where a request
//!   comes from in `Sec-Fetch-Site`, older ones in `Origin`; what says neither is no browser, and
//!   has no business with a browser's cookie.
//! - Without tokens the server serves its own machine alone, and a stranger's name can be made to
//!   point there. So `Host` has to be a name of this machine, or one that was said to be.

use std::net::IpAddr;

use http::header::{HOST, ORIGIN};
use http::uri::Authority;
use http::{HeaderMap, Method, Uri};
use steadfast_api::{ApiError, ErrorKind};

const SEC_FETCH_SITE: &str = "sec-fetch-site";

/// The names that the server is reached by, beside those of this machine.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hosts(Vec<String>);

impl Hosts {
    pub(crate) fn add(&mut self, name: &str) {
        self.0.push(name.to_ascii_lowercase());
    }

    fn knows(&self, name: &str) -> bool {
        self.0.iter().any(|known| known.eq_ignore_ascii_case(name))
    }
}

/// Refuses what was meant for a server of another name.
pub(crate) fn check_host(uri: &Uri, headers: &HeaderMap, hosts: &Hosts) -> Result<(), ApiError> {
    let name = match uri.host() {
        Some(host) => Some(host.to_owned()),
        None => host(headers).map(|authority| authority.host().to_owned()),
    };
    match name {
        Some(name) if is_this_machine(&name) || hosts.knows(&name) => Ok(()),
        Some(name) => Err(ApiError::new(
            ErrorKind::WrongHost,
            format!("this server is not called {name}"),
        )
        .next("ask for it as localhost, or start it with `--host` and its name, or with tokens")),
        None => Err(ApiError::new(ErrorKind::WrongHost, "the request does not say whom it is for")
            .next("send one header Host")),
    }
}

/// The only one that there is.
fn host(headers: &HeaderMap) -> Option<Authority> {
    let mut all = headers.get_all(HOST).iter();
    match (all.next(), all.next()) {
        (Some(only), None) => Authority::try_from(only.as_bytes()).ok(),
        _ => None,
    }
}

fn is_this_machine(name: &str) -> bool {
    let name = name.strip_suffix('.').unwrap_or(name).to_ascii_lowercase();
    if name == "localhost" || name.ends_with(".localhost") {
        return true;
    }
    let address = name.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(&name);
    address.parse().is_ok_and(|address: IpAddr| address.to_canonical().is_loopback())
}

/// How somebody says who they are: a browser adds cookies by itself, and nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Means {
    Cookie,
    Other,
}

/// Refuses what changes something and does not come from the server's own page.
pub(crate) fn check_origin(
    method: &Method,
    headers: &HeaderMap,
    hosts: &Hosts,
    means: Means,
) -> Result<(), ApiError> {
    if method.is_safe() {
        return Ok(());
    }
    let is_ours = match (headers.get(SEC_FETCH_SITE), headers.get(ORIGIN)) {
        (Some(site), _) => matches!(site.as_bytes(), b"same-origin" | b"none"),
        (None, Some(origin)) => origin.to_str().is_ok_and(|origin| is_own(origin, headers, hosts)),
        (None, None) => means == Means::Other,
    };
    if is_ours {
        return Ok(());
    }
    Err(ApiError::new(ErrorKind::Forbidden, "a page of another site may not do this")
        .next("do it on this server's own page, or from a program with a token"))
}

fn is_own(origin: &str, headers: &HeaderMap, hosts: &Hosts) -> bool {
    let Some((_, authority)) = origin.split_once("://") else {
        return false;
    };
    let Ok(authority) = authority.parse::<Authority>() else {
        return false;
    };
    host(headers).is_some_and(|host| host == authority) || hosts.knows(authority.host())
}

#[cfg(test)]
mod tests {
    use http::{HeaderName, HeaderValue};

    use super::*;

    fn headers(pairs: &[(&str, &str)]) -> HeaderMap {
        let pairs = pairs.iter().map(|(name, value)| {
            (name.parse::<HeaderName>().unwrap(), value.parse::<HeaderValue>().unwrap())
        });
        // Unlike `collect`, this keeps two of a name.
        pairs.fold(HeaderMap::new(), |mut all, (name, value)| {
            all.append(name, value);
            all
        })
    }

    /// K1: names that can be made to point here are not ours.
    #[test]
    fn only_names_of_this_machine_are_taken_without_tokens() {
        let mut hosts = Hosts::default();
        hosts.add("Retry.Example");
        let check =
            |host: &str| check_host(&Uri::from_static("/"), &headers(&[("host", host)]), &hosts);
        for own in [
            "localhost",
            "LOCALHOST:7700",
            "localhost.",
            "a.localhost:1",
            "127.0.0.1:7700",
            "127.9.9.9",
            "[::1]:7700",
            "[::ffff:127.0.0.1]",
            "retry.example:443",
        ] {
            assert!(check(own).is_ok(), "{own}");
        }
        for other in [
            "evil.example",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "10.0.0.1",
            "[::2]",
            "0.0.0.0",
            "evil.example#localhost",
            "localhost@evil.example",
            "",
        ] {
            assert_eq!(check(other).unwrap_err().status, 421, "{other}");
        }
        assert!(check_host(&Uri::from_static("/"), &headers(&[]), &hosts).is_err());
        let two = headers(&[("host", "localhost"), ("host", "evil.example")]);
        assert!(check_host(&Uri::from_static("/"), &two, &hosts).is_err());
    }

    /// K1: what changes something comes from our own page, or from no page.
    #[test]
    fn a_page_of_another_site_changes_nothing() {
        let mut hosts = Hosts::default();
        hosts.add("retry.example");
        let is_taken = |pairs: &[(&str, &str)], means| {
            let pairs = [pairs, &[("host", "localhost:7700")]].concat();
            check_origin(&Method::POST, &headers(&pairs), &hosts, means).is_ok()
        };
        let own: [&[(&str, &str)]; 4] = [
            &[("sec-fetch-site", "same-origin"), ("origin", "http://localhost:7700")],
            &[("sec-fetch-site", "none")],
            &[("origin", "http://localhost:7700")],
            &[("origin", "https://retry.example")],
        ];
        let others: [&[(&str, &str)]; 8] = [
            &[("sec-fetch-site", "cross-site")],
            &[("sec-fetch-site", "same-site")],
            &[("sec-fetch-site", "cross-site"), ("origin", "http://localhost:7700")],
            &[("sec-fetch-site", "")],
            &[("origin", "http://localhost:7701")],
            &[("origin", "http://evil.example")],
            &[("origin", "null")],
            &[("origin", "http://localhost:7700@evil.example")],
        ];
        for means in [Means::Cookie, Means::Other] {
            assert!(own.iter().all(|pairs| is_taken(pairs, means)));
            assert!(others.iter().all(|pairs| !is_taken(pairs, means)), "{means:?}");
        }
        assert!(is_taken(&[], Means::Other), "a program says nothing of pages");
        assert!(!is_taken(&[], Means::Cookie), "and has no cookie");
        let strange = headers(&[("sec-fetch-site", "cross-site")]);
        assert!(check_origin(&Method::GET, &strange, &hosts, Means::Cookie).is_ok());
    }
}
