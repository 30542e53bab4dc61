//! The cause chain, outermost first (J8).
//!
//! Errors arrive wrapped: a 503 inside a client's error inside the caller's own
//! enum. The wrapper knows least, so facts are asked of each link in turn and
//! whoever is judging stops at the first one that decides. A chain can be
//! absurdly long, or bite its own tail, so the walk is bounded.

use std::convert::Infallible;
use std::error::Error;
use std::io;
use std::iter;
use std::ops::ControlFlow;

use super::{Fault, extract};

/// How many links of a cause chain are looked at.
pub const MAX_CAUSES: usize = 64;

/// An error that can tell its facts.
///
/// The errors of the crates in [`extract`] implement it already. Derive it for
/// your own with [`#[derive(Fault)]`](macro@crate::Fault), or write the one
/// method:
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
    message = "`{Self}` does not say what went wrong",
    label = "Steadfast cannot judge this error",
    note = "derive `steadfast::Fault` for it if it is yours, or tell its facts with `.facts(|error: &{Self}| ...)`; \
            `.facts(steadfast::extract::chain)` walks the `source()`s of any `std::error::Error`"
)]
pub trait Failure {
    /// The facts of this error itself, not of its causes.
    fn fault(&self) -> Fault;

    /// What caused it, for the facts that it does not have itself.
    fn cause(&self) -> Option<&(dyn Error + 'static)> {
        None
    }

    /// Its own words, for reports.
    fn message(&self) -> Option<String> {
        None
    }
}

impl<F: Failure + ?Sized> Failure for &F {
    fn fault(&self) -> Fault {
        (**self).fault()
    }

    fn cause(&self) -> Option<&(dyn Error + 'static)> {
        (**self).cause()
    }

    fn message(&self) -> Option<String> {
        (**self).message()
    }
}

impl<F: Failure + ?Sized> Failure for Box<F> {
    fn fault(&self) -> Fault {
        (**self).fault()
    }

    fn cause(&self) -> Option<&(dyn Error + 'static)> {
        (**self).cause()
    }

    fn message(&self) -> Option<String> {
        (**self).message()
    }
}

/// Facts that came from elsewhere, as JSON say, are as good as an error.
impl Failure for Fault {
    fn fault(&self) -> Fault {
        self.clone()
    }

    fn message(&self) -> Option<String> {
        self.message.clone()
    }
}

/// An operation that cannot fail can be run like any other.
impl Failure for Infallible {
    fn fault(&self) -> Fault {
        match *self {}
    }
}

/// The links of a dynamic error and its causes, each as facts.
pub(crate) fn walk<B>(
    first: Option<&(dyn Error + 'static)>,
    limit: usize,
    mut see: impl FnMut(&Fault) -> ControlFlow<B>,
) -> Option<B> {
    links(first).take(limit).find_map(|error| see(&extract::link(error)).break_value())
}

/// An error and its causes, outermost first. May never end.
pub(super) fn links<'e>(
    first: Option<&'e (dyn Error + 'static)>,
) -> impl Iterator<Item = &'e (dyn Error + 'static)> {
    iter::successors(first, |error| cause_of(*error))
}

/// `io::Error::source` skips the error it carries, and that is the one with the facts.
pub(super) fn cause_of<'e>(error: &'e (dyn Error + 'static)) -> Option<&'e (dyn Error + 'static)> {
    match extract::find::<io::Error>(error).and_then(io::Error::get_ref) {
        Some(carried) => Some(carried),
        None => error.source(),
    }
}
