//! Facts of [`reqwest_middleware::Error`]: those of its inner error.
//!
//! It is transparent to its cause: its `source()` skips the link that has the facts, so the inner
//! error is extracted here.

use std::error::Error as StdError;

use reqwest_middleware::Error;

use super::link;
use crate::fault::chain::cause_of;
use crate::fault::{Failure, Fault};
use crate::{GaveUp, RetryError};

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

    fn as_error(&self) -> Option<&(dyn StdError + 'static)> {
        Some(self)
    }
}

/// For attempts that left no error, such as after a timeout.
impl From<GaveUp> for Error {
    fn from(gave_up: GaveUp) -> Self {
        Self::middleware(gave_up)
    }
}

/// Lets `?` return the last attempt's own error.
impl<T> From<RetryError<Self, T>> for Error {
    fn from(error: RetryError<Self, T>) -> Self {
        error.into_own()
    }
}

fn inner(error: &Error) -> &(dyn StdError + 'static) {
    match error {
        Error::Reqwest(error) => error,
        Error::Middleware(error) => error.as_ref(),
    }
}
