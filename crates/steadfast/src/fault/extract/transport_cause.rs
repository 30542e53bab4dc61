//! The facts of the transport error that caused a client error.
//!
//! A client's error often says only that the request failed; the connection below it has the facts.
//! Both belong on one link of the chain, because the first link that matches a rule decides (J8): a
//! client error that said no more than "no connection" would have a bad certificate retried (J5).
//!
//! An extractor calls only extractors of lower layers, so there is no recursion, even for an error
//! that is its own cause.

use std::error::Error;
use std::io;

use super::{Extractor, facts};
#[cfg(any(feature = "reqwest", feature = "tonic"))]
use crate::fault::Kind;
use crate::fault::chain::{cause_of, links};
use crate::fault::{Fault, MAX_CAUSES};

/// The extractors for errors of a bare connection.
pub(super) const SOCKET: &[Extractor] = &[
    #[cfg(feature = "rustls")]
    facts::<rustls::Error>,
    #[cfg(feature = "tokio")]
    facts::<tokio::time::error::Elapsed>,
    facts::<io::Error>,
];

/// The extractors for errors of an HTTP connection.
#[cfg(any(feature = "reqwest", feature = "tonic"))]
pub(super) const TRANSPORT: &[Extractor] = &[
    facts::<hyper::Error>,
    #[cfg(feature = "rustls")]
    facts::<rustls::Error>,
    #[cfg(feature = "tokio")]
    facts::<tokio::time::error::Elapsed>,
    facts::<io::Error>,
    failed_lookup,
];

/// The facts of a failed DNS lookup of hyper's connector, whichever resolver it uses. The type of the
/// error is private, so the message identifies it.
#[cfg(any(feature = "reqwest", feature = "tonic"))]
fn failed_lookup(error: &(dyn Error + 'static)) -> Option<Fault> {
    (error.to_string() == "dns error").then(|| Fault::of(Kind::Dns))
}

/// The facts of the first cause for which one of `extractors` finds a kind.
pub(super) fn transport_cause(
    error: &(dyn Error + 'static),
    extractors: &[Extractor],
) -> Option<Fault> {
    links(cause_of(error)).take(MAX_CAUSES).find_map(|link| {
        let fault = extractors.iter().find_map(|facts| facts(link));
        fault.filter(|fault| fault.kind.is_some())
    })
}
