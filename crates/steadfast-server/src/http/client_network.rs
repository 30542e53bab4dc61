//! Which addresses are one somebody's.

use std::net::{IpAddr, Ipv6Addr};

/// The address, or the network that it is of: who has one address of IPv6 has 2⁶⁴ of them.
pub(crate) fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let prefix = u128::from(address) & !u128::from(u64::MAX);
            IpAddr::V6(Ipv6Addr::from(prefix))
        }
        address @ IpAddr::V4(_) => address,
    }
}
