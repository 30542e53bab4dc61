//! Facts of an expired [`tower`] timeout.
//!
//! Like every timeout it stops a call at any point, so the outcome of the request is unknown (J2).

use std::error::Error;

use tower::timeout::error::Elapsed;

use super::find;
use crate::fault::{Failure, Fault, Kind};

pub(super) fn facts(error: &(dyn Error + 'static)) -> Option<Fault> {
    find::<Elapsed>(error).map(Failure::fault)
}

impl Failure for Elapsed {
    fn fault(&self) -> Fault {
        Fault::of(Kind::Timeout).with_unknown_outcome().with_type("tower::timeout::error::Elapsed")
    }

    fn message(&self) -> Option<String> {
        Some(self.to_string())
    }
}
