//! Cross-site request checks (K1).
//!
//! A browser sends requests to this server from any page it shows. Two checks stop foreign pages without
//! CSRF tokens:
//!
//! - A mutation must come from the server's own pages. Browsers report the source in `Sec-Fetch-Site`,
//!   older ones in `Origin`; a client that sends neither is not a browser and must not use a cookie.
//! - Without tokens the server serves loopback clients only, and a foreign name can be made to resolve to
//!   loopback (DNS rebinding). So `Host` must be a loopback name or a configured one.

use std::net::IpAddr;

use http::header::{HOST, ORIGIN};
use http::uri::Authority;
use http::{HeaderMap, Method, Uri};
use steadfast_api::{ApiError, ErrorKind};

const SEC_FETCH_SITE: &str = "sec-fetch-site";

#[derive(Clone, Debug, Default)]
pub(crate) struct Hosts(Vec<String>);

impl Hosts {
    pub(crate) fn add(&mut self, name: &str) {
        self.0.push(name.to_ascii_lowercase());
    }

    fn contains(&self, name: &str) -> bool {
        self.0.iter().any(|known| known.eq_ignore_ascii_case(name))
    }
}

pub(crate) fn check_host(uri: &Uri, headers: &HeaderMap, hosts: &Hosts) -> Result<(), ApiError> {
    let header = || Some(host(headers)?.host().to_owned());
    let name = uri.host().map(str::to_owned).or_else(header);
    match name {
        Some(name) if is_loopback_name(&name) || hosts.contains(&name) => Ok(()),
        Some(name) => Err(ApiError::new(ErrorKind::WrongHost, format!("Host header `{name}` is not allowed"))
            .next("use localhost, or start the server with `--host NAME`; with --tokens any host is allowed")),
        None => Err(ApiError::new(ErrorKind::WrongHost, "missing Host header")
            .next("send exactly one Host header")),
    }
}

/// The value of the only `Host` header.
fn host(headers: &HeaderMap) -> Option<Authority> {
    let mut all = headers.get_all(HOST).iter();
    match (all.next(), all.next()) {
        (Some(only), None) => Authority::try_from(only.as_bytes()).ok(),
        _ => None,
    }
}

fn is_loopback_name(name: &str) -> bool {
    let name = name.strip_suffix('.').unwrap_or(name).to_ascii_lowercase();
    if name == "localhost" || name.ends_with(".localhost") {
        return true;
    }
    let address = name.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(&name);
    address.parse().is_ok_and(|address: IpAddr| address.to_canonical().is_loopback())
}

/// The kind of credentials: browsers add cookies by themselves, and nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Credentials {
    Cookie,
    Other,
}

/// Rejects mutations that do not come from the server's own pages.
pub(crate) fn check_origin(
    method: &Method,
    headers: &HeaderMap,
    hosts: &Hosts,
    credentials: Credentials,
) -> Result<(), ApiError> {
    if method.is_safe() {
        return Ok(());
    }
    let is_ours = match (headers.get(SEC_FETCH_SITE), headers.get(ORIGIN)) {
        (Some(site), _) => matches!(site.as_bytes(), b"same-origin" | b"none"),
        (None, Some(origin)) => {
            origin.to_str().is_ok_and(|origin| is_own_origin(origin, headers, hosts))
        }
        (None, None) => credentials == Credentials::Other,
    };
    if is_ours {
        return Ok(());
    }
    Err(ApiError::new(ErrorKind::Forbidden, "cross-site request rejected")
        .next("use this server's web UI, or call the API with a token"))
}

fn is_own_origin(origin: &str, headers: &HeaderMap, hosts: &Hosts) -> bool {
    let Some(Ok(authority)) = origin.split_once("://").map(|(_, it)| it.parse::<Authority>())
    else {
        return false;
    };
    host(headers).is_some_and(|host| host == authority) || hosts.contains(authority.host())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::header_map as headers;

    /// K1: names that can be made to resolve to loopback are rejected.
    #[test]
    fn foreign_host_name_without_tokens_is_rejected() {
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

    /// K1: a mutation comes from the server's own page or from a program.
    #[test]
    fn cross_site_mutation_is_rejected() {
        let mut hosts = Hosts::default();
        hosts.add("retry.example");
        let is_accepted = |pairs: &[(&str, &str)], credentials| {
            let pairs = [pairs, &[("host", "localhost:7700")]].concat();
            check_origin(&Method::POST, &headers(&pairs), &hosts, credentials).is_ok()
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
        for credentials in [Credentials::Cookie, Credentials::Other] {
            assert!(own.iter().all(|pairs| is_accepted(pairs, credentials)));
            assert!(others.iter().all(|pairs| !is_accepted(pairs, credentials)), "{credentials:?}");
        }
        assert!(is_accepted(&[], Credentials::Other), "a program sends neither header");
        assert!(
            !is_accepted(&[], Credentials::Cookie),
            "a cookie without either header is rejected"
        );
        let cross_site = headers(&[("sec-fetch-site", "cross-site")]);
        assert!(check_origin(&Method::GET, &cross_site, &hosts, Credentials::Cookie).is_ok());
    }
}
