//! The address ranges that are not on the public internet.
//!
//! These are the special-purpose registries of IANA, and for IPv6 everything outside `2000::/3`. So an
//! IPv6 address that is not assigned yet is rejected.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::{IpNet, Ipv4Net, Ipv6Net};

/// A range of addresses, and its description.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Range {
    network: IpNet,
    /// Completes "it is …".
    what: &'static str,
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.what, self.network)
    }
}

/// The range of an address that is not public. The first match is the most specific.
pub(super) fn special(address: IpAddr) -> Option<&'static Range> {
    let table = if address.is_ipv4() { V4 } else { V6 };
    table.iter().find(|range| range.network.contains(&address))
}

/// The IPv4 address to which packets to this one are forwarded, if it embeds one. The same rules apply
/// to both.
pub(super) fn embedded(address: IpAddr) -> Option<Ipv4Addr> {
    let IpAddr::V6(address) = address else {
        return None;
    };
    if NAT64.contains(&address) {
        let [.., a, b, c, d] = address.octets();
        return Some(Ipv4Addr::new(a, b, c, d));
    }
    if SIX_TO_FOUR.contains(&address) {
        let [_, _, a, b, c, d, ..] = address.octets();
        return Some(Ipv4Addr::new(a, b, c, d));
    }
    address.to_ipv4_mapped()
}

const NAT64: Ipv6Net = v6_net([0x64, 0xff9b, 0, 0], 96);
const LOOPBACK: IpNet = IpNet::V6(Ipv6Net::new_assert(Ipv6Addr::LOCALHOST, 128));
const SIX_TO_FOUR: Ipv6Net = v6_net([0x2002, 0, 0, 0], 16);

const V4: &[Range] = &[
    v4([0, 0, 0, 0], 8, "an address of this host"),
    v4([10, 0, 0, 0], 8, "a private address"),
    v4([100, 64, 0, 0], 10, "a carrier-grade NAT address"),
    v4([127, 0, 0, 0], 8, "a loopback address"),
    v4([169, 254, 0, 0], 16, "a link-local address"),
    v4([172, 16, 0, 0], 12, "a private address"),
    v4([192, 0, 0, 0], 24, "an address of a protocol"),
    v4([192, 0, 2, 0], 24, "an address for documentation"),
    v4([192, 88, 99, 0], 24, "an address of a 6to4 relay"),
    v4([192, 168, 0, 0], 16, "a private address"),
    v4([198, 18, 0, 0], 15, "an address for benchmarks"),
    v4([198, 51, 100, 0], 24, "an address for documentation"),
    v4([203, 0, 113, 0], 24, "an address for documentation"),
    v4([224, 0, 0, 0], 4, "a multicast address"),
    v4([255, 255, 255, 255], 32, "the broadcast address"),
    v4([240, 0, 0, 0], 4, "a reserved address"),
];

const V6: &[Range] = &[
    v6([0, 0, 0, 0], 128, "the unspecified address"),
    Range { network: LOOPBACK, what: "the loopback address" },
    v6([0x64, 0xff9b, 1, 0], 48, "an address of a local NAT64"),
    v6([0x100, 0, 0, 0], 64, "an address that discards"),
    v6([0x2001, 0, 0, 0], 32, "an address of a Teredo tunnel"),
    v6([0x2001, 2, 0, 0], 48, "an address for benchmarks"),
    v6([0x2001, 0xdb8, 0, 0], 32, "an address for documentation"),
    v6([0x2001, 0, 0, 0], 23, "an address of a protocol"),
    v6([0x3fff, 0, 0, 0], 20, "an address for documentation"),
    v6([0xfc00, 0, 0, 0], 7, "a unique local address"),
    v6([0xfe80, 0, 0, 0], 10, "a link-local address"),
    v6([0xfec0, 0, 0, 0], 10, "a site-local address"),
    v6([0xff00, 0, 0, 0], 8, "a multicast address"),
    v6([0, 0, 0, 0], 3, "a reserved address"),
    v6([0x4000, 0, 0, 0], 2, "a reserved address"),
    v6([0x8000, 0, 0, 0], 1, "a reserved address"),
];

const fn v4([a, b, c, d]: [u8; 4], prefix: u8, what: &'static str) -> Range {
    let network = Ipv4Net::new_assert(Ipv4Addr::new(a, b, c, d), prefix);
    Range { network: IpNet::V4(network), what }
}

const fn v6(start: [u16; 4], prefix: u8, what: &'static str) -> Range {
    Range { network: IpNet::V6(v6_net(start, prefix)), what }
}

const fn v6_net([a, b, c, d]: [u16; 4], prefix: u8) -> Ipv6Net {
    Ipv6Net::new_assert(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0), prefix)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// K2: the first and the last address of every range belong to it.
    #[test]
    fn range_includes_its_first_and_last_address() {
        for range in V4.iter().chain(V6) {
            assert!(special(range.network.network()).is_some(), "{range:?}");
            assert!(special(range.network.broadcast()).is_some(), "{range:?}");
            assert_eq!(range.network, range.network.trunc(), "{range:?}");
        }
    }

    /// K2: public addresses are in no range.
    #[test]
    fn public_addresses_are_in_no_range() {
        let public = "1.1.1.1 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 \
            128.0.0.0 172.15.255.255 172.32.0.0 192.167.255.255 192.169.0.0 198.17.255.255 198.20.0.0 \
            223.255.255.255 2001:200::1 2606:4700:4700::1111 2a00:1450:4001:800::200e 3ffe::1";
        for address in public.split_whitespace() {
            assert_eq!(special(address.parse().unwrap()), None, "{address}");
        }
    }

    /// K2: an IPv4 address embedded in an IPv6 address is found where translators put it.
    #[test]
    fn embedded_ipv4_address_is_found() {
        let cases = [
            ("::ffff:10.1.2.3", Some("10.1.2.3")),
            ("64:ff9b::10.1.2.3", Some("10.1.2.3")),
            ("2002:a01:203::1", Some("10.1.2.3")),
            ("2003:a01:203::1", None),
            ("64:ff9b:1::10.1.2.3", None),
            ("10.1.2.3", None),
        ];
        for (address, expected) in cases {
            let expected = expected.map(|address| address.parse().unwrap());
            assert_eq!(embedded(address.parse().unwrap()), expected, "{address}");
        }
    }
}
