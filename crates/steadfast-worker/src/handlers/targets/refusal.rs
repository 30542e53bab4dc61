//! Why a target is not called, in words that say how to allow it.

use std::fmt;
use std::net::IpAddr;

use super::metadata;
use super::ranges::Range;

/// Why a target is not called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    subject: Subject,
    because: Because,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Subject {
    Host(String),
    Address { address: IpAddr, found_by: Option<String> },
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Because {
    Range(Range),
    /// It leads to an address that is in that range.
    Carries(IpAddr, Range),
    Metadata,
}

impl Refusal {
    pub(super) fn range(address: IpAddr, range: &Range) -> Self {
        Self::of(address, Because::Range(*range))
    }

    pub(super) fn carries(address: IpAddr, carried: IpAddr, range: &Range) -> Self {
        Self::of(address, Because::Carries(carried, *range))
    }

    pub(super) fn metadata(address: IpAddr) -> Self {
        Self::of(address, Because::Metadata)
    }

    pub(super) fn metadata_host(host: &str) -> Self {
        Self { subject: Subject::Host(host.to_owned()), because: Because::Metadata }
    }

    fn of(address: IpAddr, because: Because) -> Self {
        Self { subject: Subject::Address { address, found_by: None }, because }
    }

    /// The same of an address that this name stands for.
    pub(super) fn found_by(mut self, name: &str) -> Self {
        if let Subject::Address { found_by, .. } = &mut self.subject {
            *found_by = Some(name.to_owned());
        }
        self
    }

    pub(super) fn is_about_metadata(&self) -> bool {
        self.because == Because::Metadata
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.subject {
            Subject::Host(host) => write!(f, "{host} is {}", self.because)?,
            Subject::Address { address, found_by: None } => {
                write!(f, "{address} is {}", self.because)?;
            }
            Subject::Address { address, found_by: Some(name) } => {
                write!(f, "{name} is {address}, {}", self.because)?;
            }
        }
        write!(f, ", and is not called; to allow it, start the worker with ")?;
        match &self.subject {
            Subject::Host(host) => write!(f, "--allow-target {host}"),
            // A name that somebody else chose does not open a metadata service.
            Subject::Address { address, found_by: Some(name) } if !self.is_about_metadata() => {
                write!(f, "--allow-target {name} or --allow-target {address}")
            }
            Subject::Address { address, .. } => write!(f, "--allow-target {address}"),
        }
    }
}

impl fmt::Display for Because {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Range(Range { network, what }) => write!(f, "{what} ({network})"),
            Self::Carries(carried, Range { network, what }) => {
                write!(f, "another form of {carried}, {what} ({network})")
            }
            Self::Metadata => f.write_str(metadata::WHAT),
        }
    }
}

impl std::error::Error for Refusal {}
