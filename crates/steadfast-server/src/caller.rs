//! Who asks.
//!
//! This is the one place that says so. Whatever a handler does is done in the name of the
//! [`By`] that comes from here, and the audit log has it (K3). For now everybody who can reach
//! the loopback address is nobody in particular; whoever adds tokens adds them here.

use std::net::SocketAddr;

use axum::extract::FromRequestParts;
use http::request::Parts;
use steadfast_store::By;

use crate::problem::Problem;

/// What somebody is called who has not said who they are.
const ANONYMOUS: &str = "anonymous";

/// The other end of the connection.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Peer(pub(crate) SocketAddr);

/// Whoever sent a request.
#[derive(Debug)]
pub(crate) struct Caller(pub(crate) By);

impl<S: Sync> FromRequestParts<S> for Caller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let peer = parts.extensions.get::<Peer>();
        let from = peer.map(|Peer(address)| address.ip().to_string());
        Ok(Self(By { actor: ANONYMOUS.to_owned(), from }))
    }
}
