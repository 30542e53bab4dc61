//! The rejection of a target, which says how to allow it.

use std::fmt;
use std::net::IpAddr;

use super::metadata;
use super::ranges::Range;

/// A target that is not allowed, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Rejection {
    subject: Subject,
    reason: Reason,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Subject {
    Host(String),
    Address { address: IpAddr, name: Option<String> },
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Reason {
    Range(Range),
    /// It embeds an IPv4 address that is in that range.
    Embeds(IpAddr, Range),
    Metadata,
}

impl Rejection {
    pub(super) fn range(address: IpAddr, range: &Range) -> Self {
        Self::of(address, Reason::Range(*range))
    }

    pub(super) fn embedded(address: IpAddr, embedded: IpAddr, range: &Range) -> Self {
        Self::of(address, Reason::Embeds(embedded, *range))
    }

    pub(super) fn metadata(address: IpAddr) -> Self {
        Self::of(address, Reason::Metadata)
    }

    pub(super) fn metadata_host(host: &str) -> Self {
        Self { subject: Subject::Host(host.to_owned()), reason: Reason::Metadata }
    }

    fn of(address: IpAddr, reason: Reason) -> Self {
        Self { subject: Subject::Address { address, name: None }, reason }
    }

    /// The same for an address that this name resolved to.
    pub(super) fn resolved_from(mut self, host: &str) -> Self {
        if let Subject::Address { name, .. } = &mut self.subject {
            *name = Some(host.to_owned());
        }
        self
    }

    pub(super) fn is_about_metadata(&self) -> bool {
        self.reason == Reason::Metadata
    }
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.subject {
            Subject::Host(host) => write!(f, "{host} is {}", self.reason)?,
            Subject::Address { address, name: None } => match &self.reason {
                Reason::Embeds(..) => write!(f, "{address} {}", self.reason)?,
                _ => write!(f, "{address} is {}", self.reason)?,
            },
            Subject::Address { address, name: Some(name) } => match &self.reason {
                Reason::Embeds(..) => {
                    write!(f, "{name} resolves to {address}, which {}", self.reason)?
                }
                _ => write!(f, "{name} resolves to {address}, {}", self.reason)?,
            },
        }
        write!(f, ", which is not allowed; to allow it, start the worker with ")?;
        match &self.subject {
            Subject::Host(host) => write!(f, "--allow-target {host}"),
            // A name under the client's control must not allow a metadata service.
            Subject::Address { address, name: Some(name) } if !self.is_about_metadata() => {
                write!(f, "--allow-target {name} or --allow-target {address}")
            }
            Subject::Address { address, .. } => write!(f, "--allow-target {address}"),
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Range(Range { network, what }) => write!(f, "{what} ({network})"),
            Self::Embeds(embedded, Range { network, what }) => {
                write!(f, "embeds {embedded}, {what} ({network})")
            }
            Self::Metadata => f.write_str(metadata::WHAT),
        }
    }
}

impl std::error::Error for Rejection {}
