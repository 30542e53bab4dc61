//! Support for `#[retry]`: running the session, cloning arguments, converting the error.

use std::ops::Deref;

use crate::drive::{
    AnyValue, BlockingOperation, BlockingSleeper, ClassOverride, ErrorFacts, Judges,
};
use crate::{GaveUp, Instrument, Policy, Retry, RetryError};

/// Runs a session on this thread. A separate function, so that the compiler names a missing trait.
///
/// # Errors
/// The session gave up.
#[inline]
pub fn call<PolicyRef, Operation, Shape, Facts, Override, Instruments, Env>(
    session: Retry<
        PolicyRef,
        Operation,
        Shape,
        Judges<Facts, AnyValue, Override>,
        Instruments,
        Env,
    >,
) -> Result<Operation::Value, RetryError<Operation::Error>>
where
    PolicyRef: Deref<Target = Policy>,
    Operation: BlockingOperation<Shape>,
    Facts: ErrorFacts<Operation::Error>,
    Override: ClassOverride,
    Instruments: Instrument,
    Env: BlockingSleeper,
{
    session.call()
}

/// [`Clone`] for an argument that each attempt receives, with a helpful error where it is missing.
#[diagnostic::on_unimplemented(
    message = "each attempt needs its own `{Self}`, but it cannot be cloned",
    label = "cannot be passed to more than one attempt",
    note = "take a reference, or implement `Clone` for it"
)]
pub trait CloneForAttempt {
    /// A clone for one attempt.
    fn clone_for_attempt(&self) -> Self;
}

#[diagnostic::do_not_recommend]
impl<T: Clone> CloneForAttempt for T {
    #[inline]
    fn clone_for_attempt(&self) -> Self {
        self.clone()
    }
}

/// An error that can be made of a session that gave up without an error.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot represent a session that gave up without an error",
    label = "the error type of a function with `#[retry]`",
    note = "an attempt that times out or is rejected by a breaker leaves no error: implement \
            `From<steadfast::GaveUp>` for `{Self}`, or return `Result<_, steadfast::RetryError<{Self}>>`"
)]
pub trait FromGaveUp: Sized {
    /// The last attempt's error, or one made of [`GaveUp`] if there is none.
    fn original(error: RetryError<Self>) -> Self;
}

#[diagnostic::do_not_recommend]
impl<E: From<GaveUp>> FromGaveUp for E {
    fn original(error: RetryError<Self>) -> Self {
        error.into_own()
    }
}
