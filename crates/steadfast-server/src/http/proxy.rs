//! Who asks, where a proxy stands between.
//!
//! To a server every request of a proxy comes from the proxy: the audit log would name it for
//! everybody, and one guesser of tokens would shut all others out (K1, K3). The proxy says who it
//! asks for, and so can anybody say; so only those are believed that were named as proxies. Each of
//! a chain adds the one that it heard from, so what counts is the last that is none of them.
//!
//! Where both headers stand, `X-Forwarded-For` counts. Most proxies write that one unasked, and pass
//! on a `Forwarded` that they do not know: by it the client could be whoever it likes.

use std::net::{IpAddr, SocketAddr};
use std::str::FromStr;
use std::sync::Arc;

use http::header::FORWARDED;
use http::{HeaderMap, HeaderName};
use ipnet::IpNet;

use crate::auth::caller::Peer;

const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
const X_FORWARDED_PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");

/// Beside a request that reached the first proxy over TLS: so the server is called `https://`,
/// though its own connection is plain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OverTls;

/// The address of a proxy, or the network that proxies are in: `10.0.0.0/24`, `fd00::7`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Proxy(IpNet);

/// A text that is neither an address nor a network.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is neither an address nor a network; write it like 10.0.0.0/24 or fd00::7")]
pub struct NotAProxy(String);

impl FromStr for Proxy {
    type Err = NotAProxy;

    fn from_str(text: &str) -> Result<Self, NotAProxy> {
        let address = text.parse::<IpAddr>().map(|address| address.to_canonical().into());
        let network = address.or_else(|_| text.parse::<IpNet>().map(|network| network.trunc()));
        network.map(Self).map_err(|_| NotAProxy(text.to_owned()))
    }
}

/// The proxies that are believed. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub(crate) struct Proxies(Arc<[Proxy]>);

impl FromIterator<Proxy> for Proxies {
    fn from_iter<I: IntoIterator<Item = Proxy>>(proxies: I) -> Self {
        Self(proxies.into_iter().collect())
    }
}

impl Proxies {
    /// Who asks, by the connection and what its other end says. What makes no sense is not gone
    /// beyond.
    pub(crate) fn asker(&self, peer: SocketAddr, headers: &HeaderMap) -> Peer {
        let mut asker = peer;
        let mut before = heard_from(headers);
        while self.has(asker.ip()) {
            let Some(address) = before.pop().flatten() else { break };
            asker = SocketAddr::new(address, 0);
        }
        Peer(asker)
    }

    /// Whether whoever asks came over TLS, if that is for a proxy to say.
    pub(crate) fn over_tls(&self, peer: SocketAddr, headers: &HeaderMap) -> Option<OverTls> {
        let scheme = self.has(peer.ip()).then(|| first_scheme(headers)).flatten()?;
        scheme.eq_ignore_ascii_case("https").then_some(OverTls)
    }

    fn has(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.0.iter().any(|Proxy(network)| network.contains(&address))
    }
}

/// The addresses that the proxies heard from, the last proxy's last. Nothing for one that is none.
fn heard_from(headers: &HeaderMap) -> Vec<Option<IpAddr>> {
    match headers.contains_key(X_FORWARDED_FOR) {
        true => elements(headers, &X_FORWARDED_FOR).map(address).collect(),
        false => elements(headers, &FORWARDED).map(forwarded_for).collect(),
    }
}

/// The scheme that the first proxy was asked by.
fn first_scheme(headers: &HeaderMap) -> Option<&str> {
    match headers.contains_key(X_FORWARDED_PROTO) {
        true => elements(headers, &X_FORWARDED_PROTO).next().map(str::trim),
        false => elements(headers, &FORWARDED).find_map(|element| forwarded(element, "proto")),
    }
}

fn elements<'h>(headers: &'h HeaderMap, name: &HeaderName) -> impl Iterator<Item = &'h str> {
    let values = headers.get_all(name).iter();
    values.flat_map(|value| value.to_str().unwrap_or_default().split(','))
}

/// The `for` of an element of RFC 7239.
fn forwarded_for(element: &str) -> Option<IpAddr> {
    address(forwarded(element, "for")?)
}

/// What an element of RFC 7239 says of this.
fn forwarded<'e>(element: &'e str, wanted: &str) -> Option<&'e str> {
    let mut pairs = element.split(';').filter_map(|pair| pair.trim().split_once('='));
    let (_, said) = pairs.find(|(name, _)| name.eq_ignore_ascii_case(wanted))?;
    Some(said.trim_matches('"'))
}

/// An address, with a port or without.
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

    fn asker(peer: &str, headers: &[(HeaderName, &str)]) -> String {
        let proxies = ["10.0.0.0/24", "fd00::1"].map(|proxy| proxy.parse().unwrap());
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(name, value.parse().unwrap());
        }
        let Peer(asker) = Proxies::from_iter(proxies).asker(peer.parse().unwrap(), &map);
        asker.ip().to_string()
    }

    /// K3: who asks through a proxy is who it asks for, behind however many of them.
    #[test]
    fn a_proxy_says_who_asks() {
        let x = |said| asker(PROXY, &[(X_FORWARDED_FOR, said)]);
        assert_eq!(x("203.0.113.7"), "203.0.113.7");
        assert_eq!(x("203.0.113.7, 10.0.0.2"), "203.0.113.7");
        assert_eq!(x("198.51.100.1, 203.0.113.7:4711, 10.0.0.2"), "203.0.113.7");
        assert_eq!(x("[2001:db8::7]:4711"), "2001:db8::7");
        assert_eq!(asker("[fd00::1]:9", &[(X_FORWARDED_FOR, "2001:db8::7")]), "2001:db8::7");
        let lines = [(X_FORWARDED_FOR, "203.0.113.7"), (X_FORWARDED_FOR, "10.0.0.2")];
        assert_eq!(asker(PROXY, &lines), "203.0.113.7");
    }

    /// K3: the header of RFC 7239 says it, too.
    #[test]
    fn the_standard_header_counts() {
        let said = r#"for=192.0.2.43;proto=https, For="[2001:db8::7]:4711";by=10.0.0.3"#;
        assert_eq!(asker(PROXY, &[(FORWARDED, said)]), "2001:db8::7");
    }

    /// K1, K3: a client cannot say who it is beside what an ordinary proxy says, which knows one
    /// header and passes on the other; not even if it makes no sense of the one.
    #[test]
    fn what_a_client_says_beside_its_proxy_does_not_count() {
        for said in ["203.0.113.7", "192.0.2.1, 203.0.113.7"] {
            let both = [(FORWARDED, "for=192.0.2.43"), (X_FORWARDED_FOR, said)];
            assert_eq!(asker(PROXY, &both), "203.0.113.7");
        }
        let nonsense = [(FORWARDED, "for=192.0.2.43"), (X_FORWARDED_FOR, "unknown")];
        assert_eq!(asker(PROXY, &nonsense), "10.0.0.1");
    }

    /// K1: nobody else is believed.
    #[test]
    fn who_is_no_proxy_asks_for_himself() {
        let said = [(X_FORWARDED_FOR, "203.0.113.7")];
        assert_eq!(asker("198.51.100.9:9", &said), "198.51.100.9");
        let said = said.map(|(name, value)| (name, value.parse().unwrap()));
        let Peer(alone) =
            Proxies::default().asker(PROXY.parse().unwrap(), &said.into_iter().collect());
        assert_eq!(alone.to_string(), PROXY);
    }

    /// H2: a proxy says whether it was asked over TLS, and nobody else does.
    #[test]
    fn a_proxy_says_whether_it_was_asked_over_tls() {
        let said = |peer: &str, name: HeaderName, value: &str| {
            let headers = HeaderMap::from_iter([(name, value.parse().unwrap())]);
            let proxies = Proxies::from_iter(["10.0.0.0/24".parse().unwrap()]);
            proxies.over_tls(peer.parse().unwrap(), &headers).is_some()
        };
        assert!(said(PROXY, X_FORWARDED_PROTO, "HTTPS"));
        assert!(said(PROXY, X_FORWARDED_PROTO, "https, http"));
        assert!(said(PROXY, FORWARDED, "for=192.0.2.43; proto=https, for=10.0.0.2;proto=http"));
        assert!(!said(PROXY, X_FORWARDED_PROTO, "http"));
        assert!(!said(PROXY, X_FORWARDED_PROTO, ""));
        assert!(!said(PROXY, FORWARDED, "for=192.0.2.43"));
        assert!(!said("198.51.100.9:9", X_FORWARDED_PROTO, "https"));
    }

    /// K4: a proxy that is none is told with what would be one.
    #[test]
    fn a_proxy_is_an_address_or_a_network() {
        assert_eq!("10.0.0.7/24".parse::<Proxy>(), "10.0.0.0/24".parse());
        for text in ["", "proxy.internal", "10.0.0.0/33", "10.0.0"] {
            let told = text.parse::<Proxy>().unwrap_err().to_string();
            assert!(told.contains("10.0.0.0/24"), "{told}");
        }
    }

    /// K4: what makes no sense is not gone beyond.
    #[test]
    fn nonsense_is_the_proxys_own() {
        for said in ["", "unknown", "_hidden", "203.0.113.7, ,", "300.1.1.1", "a,b,c"] {
            assert_eq!(asker(PROXY, &[(X_FORWARDED_FOR, said)]), "10.0.0.1", "{said}");
            assert_eq!(asker(PROXY, &[(FORWARDED, said)]), "10.0.0.1", "{said}");
        }
        assert_eq!(asker(PROXY, &[(X_FORWARDED_FOR, "nobody, 10.0.0.2")]), "10.0.0.2");
    }
}
