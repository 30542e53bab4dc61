//! Facts of [`reqwest_middleware::Error`]: those of its inner error.
//!
//! It is transparent to its cause: its `source()` skips the link that has the facts, so the inner
//! error is extracted here.

use std::error::Error as StdError;

use reqwest_middleware::Error;

use super::link;
use crate::fault::chain::cause_of;
use crate::fault::{Failure, Fault};

impl Failure for Error {
    fn fault(&self) -> Fault {
        link(inner(self))
    }

    fn cause(&self) -> Option<&(dyn StdError + 'static)> {
        cause_of(inner(self))
    }

    fn message(&self) -> Option<String> {
        Some(self.to_string())
    }
}

fn inner(error: &Error) -> &(dyn StdError + 'static) {
    match error {
        Error::Reqwest(error) => error,
        Error::Middleware(error) => error.as_ref(),
    }
}
