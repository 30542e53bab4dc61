//! The network of a client, as the unit of per-client limits.

use std::net::{IpAddr, Ipv6Addr};

/// The address itself for IPv4 and its /64 prefix for IPv6: one host usually has a whole /64.
pub(crate) fn client_network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let prefix = u128::from(address) & !u128::from(u64::MAX);
            IpAddr::V6(Ipv6Addr::from(prefix))
        }
        address @ IpAddr::V4(_) => address,
    }
}
