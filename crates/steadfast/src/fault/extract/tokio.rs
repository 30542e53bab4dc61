//! Facts of an expired [`tokio::time::timeout`].
//!
//! It stops an operation at any point, including the wait for a response, so the outcome of the
//! request is unknown (J2).

use tokio::time::error::Elapsed;

use crate::fault::{Failure, Fault, Kind};

impl Failure for Elapsed {
    fn fault(&self) -> Fault {
        Fault::of(Kind::Timeout).with_unknown_outcome().with_type("tokio::time::error::Elapsed")
    }

    cause_and_message!();
}
