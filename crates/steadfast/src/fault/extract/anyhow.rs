//! Facts of [`anyhow::Error`]: those of the error it carries.
//!
//! It is no [`Error`] itself and so never a link of a chain: there is nothing
//! to find in one, only an error to open.

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
}
