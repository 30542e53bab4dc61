//! For `#[retry]`: what goes into each attempt, and what comes out at the end.

use std::ops::Deref;

use crate::drive::{
    Any, Bare, BlockingOperation, BlockingSleeper, Facts, Judges, Operation, Overrule, RetryFuture,
    Sleeper, Unprobed,
};
use crate::{GaveUp, Instrument, Policy, Retry, RetryError};

/// Runs a session on this thread. A function of its own, so that what is missing is named.
///
/// # Errors
/// The session gave up.
#[inline]
pub fn call<L, Op, M, F, O, G, Z>(
    session: Retry<L, Op, M, Judges<F, Any, O>, G, Z>,
) -> Result<Op::Value, RetryError<Op::Error>>
where
    L: Deref<Target = Policy>,
    Op: BlockingOperation<M>,
    F: Facts<Op::Error>,
    O: Overrule,
    G: Instrument,
    Z: BlockingSleeper,
{
    session.call()
}

/// The future of a session.
#[inline]
pub fn future<L, Op, M, F, O, G, Z>(
    session: Retry<L, Op, M, Judges<F, Any, O>, G, Z>,
) -> RetryFuture<L, M, Op, F, Any, O, G, Z, Unprobed, Bare>
where
    L: Deref<Target = Policy>,
    Op: Operation<M>,
    F: Facts<Op::Error>,
    O: Overrule,
    G: Instrument,
    Z: Sleeper,
{
    session.into_future()
}

/// An argument that each attempt gets anew: [`Clone`], with words for when it is not.
#[diagnostic::on_unimplemented(
    message = "each attempt needs its own `{Self}`, but it cannot be cloned",
    label = "cannot be given to more than one attempt",
    note = "take a reference, or implement `Clone` for it"
)]
pub trait Again {
    /// One more.
    fn again(&self) -> Self;
}

#[diagnostic::do_not_recommend]
impl<T: Clone> Again for T {
    #[inline]
    fn again(&self) -> Self {
        self.clone()
    }
}

/// An error that can say that the last attempt left none.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot say that retrying ended without an error",
    label = "the error of a function with `#[retry]`",
    note = "an attempt that its timeout cuts off or a breaker refuses leaves no error: implement \
            `From<steadfast::GaveUp>` for `{Self}`, or return `Result<_, steadfast::RetryError<{Self}>>`"
)]
pub trait FromGaveUp: Sized {
    /// The last attempt's own error, or one that says why there is none.
    fn original(error: RetryError<Self>) -> Self;
}

#[diagnostic::do_not_recommend]
impl<E: From<GaveUp>> FromGaveUp for E {
    fn original(error: RetryError<Self>) -> Self {
        error.into_error().unwrap_or_else(Self::from)
    }
}
