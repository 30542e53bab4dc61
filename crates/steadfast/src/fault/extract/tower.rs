//! Facts of an expired [`tower`] timeout.
//!
//! Like every timeout it stops a call at any point, so the outcome of the request is unknown (J2).

use tower::timeout::error::Elapsed;

use crate::fault::{Failure, Fault, Kind};

impl Failure for Elapsed {
    fn fault(&self) -> Fault {
        Fault::of(Kind::Timeout).with_unknown_outcome().with_type("tower::timeout::error::Elapsed")
    }

    cause_and_message!();
}
