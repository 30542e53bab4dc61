//! Facts of a [`tokio::time::timeout`] that ran out.
//!
//! It stops an operation wherever it stands, the wait for an answer included,
//! so nobody knows what became of the request (J2).

use std::error::Error;

use tokio::time::error::Elapsed;

use super::find;
use crate::fault::{Failure, Fault, Kind};

pub(super) fn facts(error: &(dyn Error + 'static)) -> Option<Fault> {
    find::<Elapsed>(error).map(Failure::fault)
}

impl Failure for Elapsed {
    fn fault(&self) -> Fault {
        Fault::of(Kind::Timeout).with_unknown_outcome().with_type("tokio::time::error::Elapsed")
    }

    fn message(&self) -> Option<String> {
        Some(self.to_string())
    }
}
