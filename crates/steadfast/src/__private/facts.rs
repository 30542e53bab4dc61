//! Support for `#[derive(Fault)]`: conversions of fields to facts.

use std::error::Error;
use std::time::Duration;

use crate::Hint;

/// A field that is a retry hint.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a retry hint",
    label = "expected a `Duration`, a `Hint`, or an `Option` of one"
)]
pub trait AsHint {
    /// The hint, if there is one.
    fn as_hint(&self) -> Option<Hint>;
}

impl AsHint for Duration {
    fn as_hint(&self) -> Option<Hint> {
        Some(Hint::After(*self))
    }
}

impl AsHint for Hint {
    fn as_hint(&self) -> Option<Hint> {
        Some(*self)
    }
}

impl<T: AsHint> AsHint for Option<T> {
    fn as_hint(&self) -> Option<Hint> {
        self.as_ref().and_then(T::as_hint)
    }
}

/// A field that is a cause: an error, or a boxed error.
pub trait AsCause {
    /// The error itself.
    fn as_cause(&self) -> &(dyn Error + 'static);
}

impl<E: Error + 'static> AsCause for E {
    fn as_cause(&self) -> &(dyn Error + 'static) {
        self
    }
}

macro_rules! boxed_causes {
    ($($error:ty,)*) => {
        $(impl AsCause for $error {
            fn as_cause(&self) -> &(dyn Error + 'static) {
                self
            }
        })*
    };
}

boxed_causes! {
    dyn Error,
    dyn Error + Send,
    dyn Error + Send + Sync,
}

/// A reference to a value that may be a standard error. The compiler picks [`IsError`] if it is one,
/// because that needs one reference less, and [`IsNoError`] otherwise.
pub struct MaybeError<'e, E>(pub &'e E);

/// A value that is a standard error.
pub trait IsError<'e> {
    /// The error.
    fn as_error(&self) -> Option<&'e (dyn Error + 'static)>;
}

impl<'e, E: Error + 'static> IsError<'e> for MaybeError<'e, E> {
    fn as_error(&self) -> Option<&'e (dyn Error + 'static)> {
        Some(self.0)
    }
}

/// Any other value.
pub trait IsNoError<'e> {
    /// Nothing.
    fn as_error(&self) -> Option<&'e (dyn Error + 'static)>;
}

impl<'e, E> IsNoError<'e> for &MaybeError<'e, E> {
    fn as_error(&self) -> Option<&'e (dyn Error + 'static)> {
        None
    }
}
