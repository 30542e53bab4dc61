//! What the layers beneath an error have to say.
//!
//! A client's error often knows only that the request failed; the connection
//! under it knows how. Both belong on one link of the chain, because the first
//! link that decides is the one that is judged (J8): a client that said no more
//! than "no connection" would have a bad certificate tried again (J5).
//!
//! An extractor asks only those of the layers below its own, never one that
//! could ask back, so an error that causes itself is survived here too.

use std::error::Error;

use super::{Extractor, io};
use crate::fault::chain::{cause_of, links};
use crate::fault::{Fault, MAX_CAUSES};

/// Those who know a bare connection.
pub(super) const SOCKET: &[Extractor] = &[
    #[cfg(feature = "rustls")]
    super::rustls::facts,
    #[cfg(feature = "tokio")]
    super::tokio::facts,
    io::facts,
];

/// Those who know a connection that requests went over.
#[cfg(any(feature = "reqwest", feature = "tonic"))]
pub(super) const TRANSPORT: &[Extractor] = &[
    super::hyper::facts,
    #[cfg(feature = "rustls")]
    super::rustls::facts,
    #[cfg(feature = "tokio")]
    super::tokio::facts,
    io::facts,
];

/// The facts of the first cause that one of `known` can tell the kind of.
pub(super) fn beneath(error: &(dyn Error + 'static), known: &[Extractor]) -> Option<Fault> {
    links(cause_of(error)).take(MAX_CAUSES).find_map(|link| {
        let told = known.iter().find_map(|facts| facts(link));
        told.filter(|fault| fault.kind.is_some())
    })
}
