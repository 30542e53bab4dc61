//! The metadata services of clouds, which hand out a machine's credentials.
//!
//! A client that can make a worker fetch their URLs could read these credentials. So they are rejected
//! even where a wide rule (`169.254.0.0/16`, `fd00::/8`) would include them: they need a rule of their
//! own.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

pub(super) const ADDRESSES: &[IpAddr] = &[
    // Most clouds.
    v4(169, 254, 169, 254),
    // The credentials of a container or a pod on AWS.
    v4(169, 254, 170, 2),
    v4(169, 254, 170, 23),
    v6([0xfd00, 0xec2, 0x23]),
    // The machine itself: AWS, Google.
    v6([0xfd00, 0xec2, 0x254]),
    v6([0xfd20, 0xce, 0x254]),
    // Azure's wire server, which has a public address.
    v4(168, 63, 129, 16),
    // Alibaba and Oracle.
    v4(100, 100, 100, 200),
    v4(192, 0, 0, 192),
];

/// In lower case and without a final dot.
pub(super) const NAMES: &[&str] = &[
    "instance-data",
    "instance-data.ec2.internal",
    "metadata",
    "metadata.goog",
    "metadata.google.internal",
];

const fn v4(a: u8, b: u8, c: u8, d: u8) -> IpAddr {
    IpAddr::V4(Ipv4Addr::new(a, b, c, d))
}

const fn v6([a, b, last]: [u16; 3]) -> IpAddr {
    IpAddr::V6(Ipv6Addr::new(a, b, 0, 0, 0, 0, 0, last))
}
