//! What a layer hands out when its session has given up.

use std::error::Error;
use std::fmt;

use crate::fault::{Failure, Fault};
use crate::{GaveUp, Reason, RetryError};

type BoxError = Box<dyn Error + Send + Sync>;

/// What the last attempt of a session that gave up has left to hand out.
pub(super) enum Left<T, E> {
    /// An answer that would not do.
    Answer(T),
    Error(E),
    Nothing,
}

/// Takes the error at the end apart: what is left, and all that led to it.
pub(super) fn take_apart<E, T>(error: RetryError<E, T>) -> (Left<T, E>, GaveUp) {
    let gave_up = error.gave_up().clone();
    let left = if error.error().is_some() {
        error.into_error().map_or(Left::Nothing, Left::Error)
    } else {
        // A session around this one may have promised to try again (I7), and most look at
        // errors only: to them an answer, whatever it says, is a success.
        let handed_out = gave_up.reason != Reason::LeftToOuter;
        error.into_value().filter(|_| handed_out).map_or(Left::Nothing, Left::Answer)
    };
    (left, gave_up)
}

/// The error of a layer that gave up: why, and all that led to it (I4).
///
/// Its `source()` is the last attempt's own error. There is none if the breaker was open,
/// if the last attempt was cut off by its timeout, or if an answer was left to the session
/// around this one.
///
/// ```
/// use std::error::Error;
/// use steadfast::Reason;
/// use steadfast::layer::GivenUp;
///
/// fn was_rejected(error: &(dyn Error + 'static)) -> bool {
///     error.downcast_ref::<GivenUp>().is_some_and(|end| end.reason() == Reason::BreakerOpen)
/// }
///
/// fn original(end: GivenUp) -> Option<Box<dyn Error + Send + Sync>> {
///     end.into_source()
/// }
/// ```
#[derive(Debug)]
pub struct GivenUp {
    gave_up: GaveUp,
    source: Option<BoxError>,
}

impl GivenUp {
    pub(super) fn new(gave_up: GaveUp, source: Option<BoxError>) -> Self {
        Self { gave_up, source }
    }

    /// Why it was given up.
    #[must_use]
    pub fn reason(&self) -> Reason {
        self.gave_up.reason
    }

    /// All that led to it.
    #[must_use]
    pub fn gave_up(&self) -> &GaveUp {
        &self.gave_up
    }

    /// The last attempt's own error, unchanged.
    #[must_use]
    pub fn into_source(self) -> Option<BoxError> {
        self.source
    }
}

impl fmt::Display for GivenUp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.gave_up.fmt(f)
    }
}

impl Error for GivenUp {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match &self.source {
            Some(source) => Some(&**source),
            None => None,
        }
    }
}

/// The facts are the last attempt's, so that a session around judges it as this one did.
impl Failure for GivenUp {
    fn fault(&self) -> Fault {
        match (&self.source, self.gave_up.failures.last()) {
            (None, Some(last)) => last.fault.clone(),
            _ => Fault::default(),
        }
    }

    fn cause(&self) -> Option<&(dyn Error + 'static)> {
        self.source()
    }

    fn message(&self) -> Option<String> {
        Some(self.to_string())
    }
}

pub(crate) fn facts(error: &(dyn Error + 'static)) -> Option<Fault> {
    error.downcast_ref::<GivenUp>().map(Failure::fault)
}
