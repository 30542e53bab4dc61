//! The rejection of a target, which says how to allow it.

use std::fmt;
use std::net::IpAddr;

use super::ranges::Range;

/// A target that is not allowed, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Rejection {
    /// A name or an address.
    pub(super) host: String,
    /// The address that the name resolved to.
    pub(super) resolved: Option<IpAddr>,
    pub(super) reason: Reason,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reason {
    Range(&'static Range),
    /// It embeds an IPv4 address that is in that range.
    Embeds(IpAddr, &'static Range),
    Metadata,
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { host, resolved, reason } = self;
        let (subject, is, which) = match resolved {
            Some(address) => (format!("{host} resolves to {address},"), "", " which"),
            None => (host.clone(), " is", ""),
        };
        match reason {
            Reason::Range(range) => write!(f, "{subject}{is} {range}")?,
            Reason::Embeds(address, range) => {
                write!(f, "{subject}{which} embeds {address}, {range}")?;
            }
            Reason::Metadata => write!(f, "{subject}{is} a cloud metadata service")?,
        }
        f.write_str(", which is not allowed; to allow it, start the worker with --allow-target ")?;
        match resolved {
            // A name under the client's control must not allow a metadata service.
            Some(address) if *reason == Reason::Metadata => address.fmt(f),
            Some(address) => write!(f, "{host} or --allow-target {address}"),
            None => host.fmt(f),
        }
    }
}

impl std::error::Error for Rejection {}
