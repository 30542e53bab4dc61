//! The caller of a request.
//!
//! Handlers act in the name of the [`Actor`] found here, and the audit log records it (K3). The
//! authentication middleware stores the caller in the request; a request without one is rejected.

use std::net::{IpAddr, SocketAddr};

use axum::extract::FromRequestParts;
use http::request::Parts;
use steadfast_api::{ApiError, ErrorKind};
use steadfast_store::{Actor, Program};

use super::Role;
use crate::http::Problem;

pub(crate) const ANONYMOUS: &str = Program::Anonymous.name();

#[derive(Clone, Copy, Debug)]
pub(crate) struct Peer(pub(crate) SocketAddr);

impl Peer {
    /// The canonical IP address: IPv4-mapped IPv6 becomes IPv4.
    pub(crate) fn ip(self) -> IpAddr {
        self.0.ip().to_canonical()
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Caller {
    pub(crate) actor: Actor,
    pub(crate) role: Role,
}

impl Caller {
    pub(crate) fn named(actor: impl Into<String>, peer: Option<Peer>, role: Role) -> Self {
        let from = peer.map(|peer| peer.ip().to_string());
        Self { actor: Actor { name: actor.into(), origin: from }, role }
    }

    pub(crate) fn anonymous(peer: Option<Peer>, role: Role) -> Self {
        Self::named(ANONYMOUS, peer, role)
    }

    pub(crate) fn require(&self, needed: Role) -> Result<(), ApiError> {
        if self.role >= needed {
            return Ok(());
        }
        let Self { actor: by, role } = self;
        let detail = format!("this requires the {needed} role; {} has the {role} role", by.name);
        let next = format!("use a token with the {needed} role");
        Err(ApiError::new(ErrorKind::Forbidden, detail).next(next))
    }
}

impl<S: Sync> FromRequestParts<S> for Caller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        parts.extensions.get::<Self>().cloned().ok_or_else(|| missing_token().into())
    }
}

pub(crate) fn missing_token() -> ApiError {
    ApiError::new(ErrorKind::Unauthenticated, "missing token")
        .next("send a token in the header `Authorization: Bearer sf_…`")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// K3: an address has one canonical form, whatever socket it came to.
    #[test]
    fn mapped_ipv4_address_is_canonicalized() {
        let ip = |address: &str| Peer(address.parse().unwrap()).ip().to_string();
        assert_eq!(ip("[::ffff:203.0.113.7]:9"), "203.0.113.7");
        assert_eq!(ip("203.0.113.7:9"), "203.0.113.7");
        assert_eq!(ip("[2001:db8::7]:9"), "2001:db8::7");
    }
}
