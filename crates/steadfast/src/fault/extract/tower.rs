//! Facts of a timeout of [`tower`]'s that ran out.
//!
//! Like any other timeout it stops a call wherever it stands, so nobody knows
//! what became of the request (J2).

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
