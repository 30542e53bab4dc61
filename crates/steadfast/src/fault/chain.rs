//! The cause chain of an error, outermost first (J8).
//!
//! Errors are wrapped: a 503 inside a client's error inside the caller's own enum. The facts of each
//! link are extracted in turn, and judging stops at the first link that matches a rule. A chain can
//! be very long, or circular, so the walk is bounded.

use std::convert::Infallible;
use std::error::Error;
use std::io;
use std::iter;
use std::ops::ControlFlow;

use super::{Fault, extract};
use crate::forward::forward;

/// How many links of a cause chain are examined.
pub const MAX_CAUSES: usize = 64;

/// An error that reports its facts.
///
/// The errors of the crates in [`extract`] implement it. Derive it for your own errors with
/// [`#[derive(Fault)]`](macro@crate::Fault), or implement the one required method:
///
/// ```
/// use steadfast::{Failure, Fault, Kind};
///
/// enum Lookup {
///     Slow,
///     Status(u16),
/// }
///
/// impl Failure for Lookup {
///     fn fault(&self) -> Fault {
///         match self {
///             Lookup::Slow => Fault::of(Kind::Timeout),
///             Lookup::Status(status) => Fault::http(*status),
///         }
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not report the facts of a failure",
    label = "Steadfast cannot classify this error",
    note = "derive `steadfast::Fault` for it if it is your type, or pass a function to `.facts(|error: &{Self}| ...)`; \
            `.facts(steadfast::extract::chain)` walks the `source()`s of any `std::error::Error`"
)]
pub trait Failure {
    /// The facts of this error itself, not of its causes.
    fn fault(&self) -> Fault;

    /// The cause, for facts that this error does not have.
    fn cause(&self) -> Option<&(dyn Error + 'static)> {
        None
    }

    /// The message for reports.
    fn message(&self) -> Option<String> {
        None
    }

    /// This error as a standard error: the `source()` of a [`RetryError`](crate::RetryError). Return
    /// `Some(self)` if the type implements [`Error`]; the derive macro does, for types without
    /// parameters.
    fn as_error(&self) -> Option<&(dyn Error + 'static)> {
        None
    }
}

impl<F: Failure + ?Sized> Failure for &F {
    forward! { self => (**self);
        fn fault(&self) -> Fault;
        fn cause(&self) -> Option<&(dyn Error + 'static)>;
        fn message(&self) -> Option<String>;
        fn as_error(&self) -> Option<&(dyn Error + 'static)>;
    }
}

impl<F: Failure + ?Sized> Failure for Box<F> {
    forward! { self => (**self);
        fn fault(&self) -> Fault;
        fn cause(&self) -> Option<&(dyn Error + 'static)>;
        fn message(&self) -> Option<String>;
        fn as_error(&self) -> Option<&(dyn Error + 'static)>;
    }
}

/// Facts from outside, such as JSON, can be used as an error.
impl Failure for Fault {
    fn fault(&self) -> Fault {
        self.clone()
    }

    fn message(&self) -> Option<String> {
        self.message.clone()
    }
}

/// A message without facts, for [`Retry::when`](crate::Retry::when): no default rule matches it.
impl Failure for str {
    fn fault(&self) -> Fault {
        Fault::default()
    }

    fn message(&self) -> Option<String> {
        Some(self.to_owned())
    }
}

impl Failure for String {
    forward! { self => (**self);
        fn fault(&self) -> Fault;
        fn message(&self) -> Option<String>;
    }
}

/// Lets an operation that cannot fail be retried.
impl Failure for Infallible {
    fn fault(&self) -> Fault {
        match *self {}
    }
}

/// Calls `visit` with the facts of each link, up to `limit`, until it breaks.
pub(crate) fn walk<B>(
    first: Option<&(dyn Error + 'static)>,
    limit: usize,
    mut visit: impl FnMut(&Fault) -> ControlFlow<B>,
) -> Option<B> {
    links(first).take(limit).find_map(|error| visit(&extract::link(error)).break_value())
}

/// An error and its causes, outermost first. May be infinite.
pub(super) fn links<'e>(
    first: Option<&'e (dyn Error + 'static)>,
) -> impl Iterator<Item = &'e (dyn Error + 'static)> {
    iter::successors(first, |error| cause_of(*error))
}

/// The cause of an error. `io::Error::source` skips the inner error, which has the facts.
pub(super) fn cause_of<'e>(error: &'e (dyn Error + 'static)) -> Option<&'e (dyn Error + 'static)> {
    match extract::find::<io::Error>(error).and_then(io::Error::get_ref) {
        Some(inner) => Some(inner),
        None => error.source(),
    }
}
