//! Facts of `dyn Error`, boxed or not.

use std::error::Error;

use super::link;
use crate::fault::chain::cause_of;
use crate::fault::{Failure, Fault};

macro_rules! dynamic {
    ($($error:ty,)*) => {$(
        impl Failure for $error {
            fn fault(&self) -> Fault {
                link(self)
            }

            fn cause(&self) -> Option<&(dyn Error + 'static)> {
                cause_of(self)
            }

            fn message(&self) -> Option<String> {
                Some(self.to_string())
            }

            fn as_error(&self) -> Option<&(dyn Error + 'static)> {
                Some(self)
            }
        }
    )*};
}

dynamic! {
    dyn Error,
    dyn Error + Send,
    dyn Error + Send + Sync,
}
