//! The error of a layer whose session gave up.

use std::error::Error;
use std::fmt;

use crate::drive::Last;
use crate::fault::extract::cause_and_message;
use crate::fault::{Failure, Fault};
use crate::{GaveUp, Reason, RetryError};

type BoxError = Box<dyn Error + Send + Sync>;

/// Splits a session's error into the result of the last attempt and the report.
///
/// An outer session that will retry (I7) usually checks errors only: it would take any response for
/// a success, so it gets none.
pub(super) fn split_error<E, T>(error: RetryError<E, T>) -> (Last<E, T>, GaveUp) {
    match error.into_parts() {
        (Last::Value(_), gave_up) if gave_up.reason == Reason::LeftToOuter => {
            (Last::Nothing, gave_up)
        }
        parts => parts,
    }
}

/// The error of a layer whose session gave up (I4).
///
/// Its `source()` is the last attempt's error. There is no source if the breaker was open, if the last
/// attempt timed out, or if a response is left to the outer session.
///
/// ```
/// use std::error::Error;
/// use steadfast::Reason;
/// use steadfast::layer::LayerError;
///
/// fn was_rejected(error: &(dyn Error + 'static)) -> bool {
///     error.downcast_ref::<LayerError>().is_some_and(|error| error.reason() == Reason::BreakerOpen)
/// }
///
/// fn original(error: LayerError) -> Option<Box<dyn Error + Send + Sync>> {
///     error.into_source()
/// }
/// ```
#[derive(Debug)]
pub struct LayerError {
    gave_up: GaveUp,
    source: Option<BoxError>,
}

impl LayerError {
    pub(super) fn new(gave_up: GaveUp, source: Option<BoxError>) -> Self {
        Self { gave_up, source }
    }

    /// Why the session gave up.
    #[must_use]
    pub fn reason(&self) -> Reason {
        self.gave_up.reason
    }

    /// The full report.
    #[must_use]
    pub fn gave_up(&self) -> &GaveUp {
        &self.gave_up
    }

    /// The last attempt's error, unchanged.
    #[must_use]
    pub fn into_source(self) -> Option<BoxError> {
        self.source
    }

    /// The last attempt's error as its own type.
    ///
    /// # Errors
    /// The last attempt left no error, or one of another type.
    ///
    /// ```
    /// use std::io;
    /// use steadfast::layer::LayerError;
    ///
    /// fn original(error: LayerError) -> io::Error {
    ///     error.downcast_source().unwrap_or_else(io::Error::other)
    /// }
    /// ```
    pub fn downcast_source<E: Error + 'static>(self) -> Result<E, Self> {
        let Self { gave_up, source } = self;
        match source.map(|source| source.downcast::<E>()) {
            Some(Ok(error)) => Ok(*error),
            Some(Err(source)) => Err(Self { gave_up, source: Some(source) }),
            None => Err(Self { gave_up, source: None }),
        }
    }
}

impl fmt::Display for LayerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.gave_up.fmt(f)
    }
}

impl Error for LayerError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match &self.source {
            Some(source) => Some(&**source),
            None => None,
        }
    }
}

/// The facts are those of the last attempt, so that an outer session classifies it the same.
impl Failure for LayerError {
    fn fault(&self) -> Fault {
        match (&self.source, self.gave_up.failures.last()) {
            (None, Some(last)) => last.fault.clone(),
            _ => Fault::default(),
        }
    }

    cause_and_message!();
}
