//! Who asks.
//!
//! Whatever a handler does is done in the name of the [`Actor`] that comes from here, and the audit
//! log has it (K3). The [gate](crate::auth) has put it beside the request; a request that did not
//! come through the gate is nobody's, and gets nothing.

use std::net::{IpAddr, SocketAddr};

use axum::extract::FromRequestParts;
use http::request::Parts;
use steadfast_api::{ApiError, ErrorKind};
use steadfast_store::{Actor, Program};

use crate::auth::Role;
use crate::http::problem::Problem;

/// What somebody is called who has not said who they are.
pub(crate) const ANONYMOUS: &str = Program::Anonymous.name();

/// The other end of the connection.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Peer(pub(crate) SocketAddr);

impl Peer {
    /// Its address, in the one way of writing it: an IPv4 address that came over IPv6 is itself.
    pub(crate) fn ip(self) -> IpAddr {
        self.0.ip().to_canonical()
    }
}

/// Whoever sent a request.
#[derive(Clone, Debug)]
pub(crate) struct Caller {
    /// The name, and where it came from.
    pub(crate) by: Actor,
    /// What that one may do.
    pub(crate) role: Role,
}

impl Caller {
    /// Somebody by this name, at the other end of this connection.
    pub(crate) fn named(actor: impl Into<String>, peer: Option<Peer>, role: Role) -> Self {
        let from = peer.map(|peer| peer.ip().to_string());
        Self { by: Actor { actor: actor.into(), from }, role }
    }

    /// Somebody who has not said who they are.
    pub(crate) fn anonymous(peer: Option<Peer>, role: Role) -> Self {
        Self::named(ANONYMOUS, peer, role)
    }

    /// Whether this one has at least this role; if not, what to do about it.
    pub(crate) fn at_least(&self, needed: Role) -> Result<(), ApiError> {
        if self.role >= needed {
            return Ok(());
        }
        let Self { by, role } = self;
        let detail = format!("this takes the role {needed}, and {} has the role {role}", by.actor);
        let next = format!("use a token with the role {needed}");
        Err(ApiError::new(ErrorKind::Forbidden, detail).next(next))
    }
}

impl<S: Sync> FromRequestParts<S> for Caller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        parts.extensions.get::<Self>().cloned().ok_or_else(|| unknown().into())
    }
}

/// Nobody knows who asks.
pub(crate) fn unknown() -> ApiError {
    ApiError::new(ErrorKind::Unauthenticated, "the request does not say who asks")
        .next("send a token: `Authorization: Bearer sf_…`")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// K3: an address is written in one way, whatever socket it came to.
    #[test]
    fn an_address_is_written_in_one_way() {
        let ip = |address: &str| Peer(address.parse().unwrap()).ip().to_string();
        assert_eq!(ip("[::ffff:203.0.113.7]:9"), "203.0.113.7");
        assert_eq!(ip("203.0.113.7:9"), "203.0.113.7");
        assert_eq!(ip("[2001:db8::7]:9"), "2001:db8::7");
    }
}
