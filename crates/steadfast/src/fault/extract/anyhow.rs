//! Facts of [`anyhow::Error`]: those of its inner error.
//!
//! It does not implement [`Error`] and is never a link of a chain, so there is no `facts` function.

use std::error::Error;

use crate::fault::{Failure, Fault};

impl Failure for anyhow::Error {
    fn fault(&self) -> Fault {
        Failure::fault(&**self)
    }

    fn cause(&self) -> Option<&(dyn Error + 'static)> {
        Failure::cause(&**self)
    }

    fn message(&self) -> Option<String> {
        Some(self.to_string())
    }

    fn as_error(&self) -> Option<&(dyn Error + 'static)> {
        Some(&**self)
    }
}
