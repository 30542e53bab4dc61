//! Client addresses behind trusted proxies.
//!
//! Every request through a proxy comes from the proxy's address: the audit log would name the proxy for
//! all clients, and the login throttle would block all of them for one (K1, K3). Proxies report the
//! client address in a header that any client can forge, so only configured proxies are trusted. Each
//! proxy of a chain appends its peer, so the client is the last address that is not a trusted proxy.
//!
//! If both headers are present, `X-Forwarded-For` counts: most proxies set it by default and forward an
//! unknown `Forwarded` header unchanged, so a client could forge that one.

use std::net::{IpAddr, SocketAddr};
use std::str::FromStr;
use std::sync::Arc;

use http::header::FORWARDED;
use http::{HeaderMap, HeaderName};
use ipnet::IpNet;

use crate::auth::Peer;

const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
const X_FORWARDED_PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");

/// A request extension: the client reached the first proxy over TLS.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OverTls;

/// The address or network of trusted proxies: `10.0.0.0/24`, `fd00::7`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Proxy(IpNet);

/// A value that is neither an IP address nor a CIDR network.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not an IP address or CIDR network; use one such as 10.0.0.0/24 or fd00::7")]
pub struct ParseProxyError(String);

impl FromStr for Proxy {
    type Err = ParseProxyError;

    fn from_str(text: &str) -> Result<Self, ParseProxyError> {
        let address = text.parse::<IpAddr>().map(|address| address.to_canonical().into());
        let network = address.or_else(|_| text.parse::<IpNet>().map(|network| network.trunc()));
        network.map(Self).map_err(|_| ParseProxyError(text.to_owned()))
    }
}

/// The trusted proxies. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub(crate) struct TrustedProxies(Arc<[Proxy]>);

impl FromIterator<Proxy> for TrustedProxies {
    fn from_iter<I: IntoIterator<Item = Proxy>>(proxies: I) -> Self {
        Self(proxies.into_iter().collect())
    }
}

impl TrustedProxies {
    /// The client of a request. Forwarded addresses count up to the first invalid one.
    pub(crate) fn client(&self, peer: SocketAddr, headers: &HeaderMap) -> Peer {
        let mut client = peer;
        let mut forwarded = forwarded_addresses(headers);
        while self.contains(client.ip()) {
            let Some(address) = forwarded.pop().flatten() else { break };
            client = SocketAddr::new(address, 0);
        }
        Peer(client)
    }

    /// Whether the client used TLS, as a trusted proxy reports.
    pub(crate) fn over_tls(&self, peer: SocketAddr, headers: &HeaderMap) -> Option<OverTls> {
        let scheme = self.contains(peer.ip()).then(|| first_scheme(headers)).flatten()?;
        scheme.eq_ignore_ascii_case("https").then_some(OverTls)
    }

    fn contains(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.0.iter().any(|Proxy(network)| network.contains(&address))
    }
}

/// The addresses of the forwarding headers, nearest last; `None` for an invalid one.
fn forwarded_addresses(headers: &HeaderMap) -> Vec<Option<IpAddr>> {
    match headers.contains_key(X_FORWARDED_FOR) {
        true => elements(headers, &X_FORWARDED_FOR).map(address).collect(),
        false => {
            let forwarded = elements(headers, &FORWARDED);
            forwarded.map(|element| address(parameter(element, "for")?)).collect()
        }
    }
}

fn first_scheme(headers: &HeaderMap) -> Option<&str> {
    match headers.contains_key(X_FORWARDED_PROTO) {
        true => elements(headers, &X_FORWARDED_PROTO).next().map(str::trim),
        false => elements(headers, &FORWARDED).find_map(|element| parameter(element, "proto")),
    }
}

fn elements<'h>(headers: &'h HeaderMap, name: &HeaderName) -> impl Iterator<Item = &'h str> {
    let values = headers.get_all(name).iter();
    values.flat_map(|value| value.to_str().unwrap_or_default().split(','))
}

/// A parameter of an RFC 7239 element.
fn parameter<'e>(element: &'e str, wanted: &str) -> Option<&'e str> {
    let mut pairs = element.split(';').filter_map(|pair| pair.trim().split_once('='));
    let (_, value) = pairs.find(|(name, _)| name.eq_ignore_ascii_case(wanted))?;
    Some(value.trim_matches('"'))
}

/// An address with an optional port.
fn address(text: &str) -> Option<IpAddr> {
    let text = text.trim().trim_matches('"');
    let bare = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
    let address =
        bare.parse().or_else(|_| text.parse().map(|with_port: SocketAddr| with_port.ip()));
    address.ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROXY: &str = "10.0.0.1:9";

    fn client(peer: &str, headers: &[(HeaderName, &str)]) -> String {
        let proxies = ["10.0.0.0/24", "fd00::1"].map(|proxy| proxy.parse().unwrap());
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(name, value.parse().unwrap());
        }
        let Peer(client) = TrustedProxies::from_iter(proxies).client(peer.parse().unwrap(), &map);
        client.ip().to_string()
    }

    /// K3: the client is found behind any number of trusted proxies.
    #[test]
    fn client_address_comes_from_trusted_proxy() {
        let x = |value| client(PROXY, &[(X_FORWARDED_FOR, value)]);
        assert_eq!(x("203.0.113.7"), "203.0.113.7");
        assert_eq!(x("203.0.113.7, 10.0.0.2"), "203.0.113.7");
        assert_eq!(x("198.51.100.1, 203.0.113.7:4711, 10.0.0.2"), "203.0.113.7");
        assert_eq!(x("[2001:db8::7]:4711"), "2001:db8::7");
        assert_eq!(client("[fd00::1]:9", &[(X_FORWARDED_FOR, "2001:db8::7")]), "2001:db8::7");
        let lines = [(X_FORWARDED_FOR, "203.0.113.7"), (X_FORWARDED_FOR, "10.0.0.2")];
        assert_eq!(client(PROXY, &lines), "203.0.113.7");
    }

    /// K3: the RFC 7239 header is supported.
    #[test]
    fn forwarded_header_is_used() {
        let value = r#"for=192.0.2.43;proto=https, For="[2001:db8::7]:4711";by=10.0.0.3"#;
        assert_eq!(client(PROXY, &[(FORWARDED, value)]), "2001:db8::7");
    }

    /// K1, K3: a client cannot forge its address with the header that the proxy does not set, even if
    /// the other header is invalid.
    #[test]
    fn forged_forwarded_header_is_ignored() {
        for value in ["203.0.113.7", "192.0.2.1, 203.0.113.7"] {
            let both = [(FORWARDED, "for=192.0.2.43"), (X_FORWARDED_FOR, value)];
            assert_eq!(client(PROXY, &both), "203.0.113.7");
        }
        let invalid = [(FORWARDED, "for=192.0.2.43"), (X_FORWARDED_FOR, "unknown")];
        assert_eq!(client(PROXY, &invalid), "10.0.0.1");
    }

    /// K1: forwarding headers from other peers are ignored.
    #[test]
    fn forwarding_headers_of_untrusted_peer_are_ignored() {
        let value = [(X_FORWARDED_FOR, "203.0.113.7")];
        assert_eq!(client("198.51.100.9:9", &value), "198.51.100.9");
        let value = value.map(|(name, value)| (name, value.parse().unwrap()));
        let Peer(alone) =
            TrustedProxies::default().client(PROXY.parse().unwrap(), &value.into_iter().collect());
        assert_eq!(alone.to_string(), PROXY);
    }

    /// H2: only a trusted proxy can report TLS.
    #[test]
    fn tls_is_reported_by_trusted_proxy_only() {
        let is_tls = |peer: &str, name: HeaderName, value: &str| {
            let headers = HeaderMap::from_iter([(name, value.parse().unwrap())]);
            let proxies = TrustedProxies::from_iter(["10.0.0.0/24".parse().unwrap()]);
            proxies.over_tls(peer.parse().unwrap(), &headers).is_some()
        };
        assert!(is_tls(PROXY, X_FORWARDED_PROTO, "HTTPS"));
        assert!(is_tls(PROXY, X_FORWARDED_PROTO, "https, http"));
        assert!(is_tls(PROXY, FORWARDED, "for=192.0.2.43; proto=https, for=10.0.0.2;proto=http"));
        assert!(!is_tls(PROXY, X_FORWARDED_PROTO, "http"));
        assert!(!is_tls(PROXY, X_FORWARDED_PROTO, ""));
        assert!(!is_tls(PROXY, FORWARDED, "for=192.0.2.43"));
        assert!(!is_tls("198.51.100.9:9", X_FORWARDED_PROTO, "https"));
    }

    /// K4: the error for an invalid proxy shows a valid example.
    #[test]
    fn proxy_parses_address_or_network() {
        assert_eq!("10.0.0.7/24".parse::<Proxy>(), "10.0.0.0/24".parse());
        for text in ["", "proxy.internal", "10.0.0.0/33", "10.0.0"] {
            let message = text.parse::<Proxy>().unwrap_err().to_string();
            assert!(message.contains("10.0.0.0/24"), "{message}");
        }
    }

    /// K4: evaluation stops at an invalid address.
    #[test]
    fn invalid_forwarded_address_falls_back_to_proxy() {
        for value in ["", "unknown", "_hidden", "203.0.113.7, ,", "300.1.1.1", "a,b,c"] {
            assert_eq!(client(PROXY, &[(X_FORWARDED_FOR, value)]), "10.0.0.1", "{value}");
            assert_eq!(client(PROXY, &[(FORWARDED, value)]), "10.0.0.1", "{value}");
        }
        assert_eq!(client(PROXY, &[(X_FORWARDED_FOR, "invalid, 10.0.0.2")]), "10.0.0.2");
    }
}
