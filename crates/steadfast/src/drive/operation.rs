//! What can be tried: a function of nothing or of the [`Attempt`], that returns
//! a result or a future of one.
//!
//! The marker `M` tells the two kinds of function apart; it is always inferred.

use std::future::Future;

use super::Attempt;

/// A function that can be tried.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be tried",
    label = "not a function of nothing or of an `Attempt`",
    note = "write `|| ...`, or `|attempt: steadfast::Attempt| ...` with the type spelled out"
)]
pub trait Callable<M> {
    /// What it returns: a result, or a future of one.
    type Output;

    /// Tries once. `attempt` is only asked for if the function takes it.
    fn start(&mut self, attempt: impl FnOnce() -> Attempt) -> Self::Output;
}

impl<F: FnMut() -> O, O> Callable<()> for F {
    type Output = O;

    #[inline]
    fn start(&mut self, _: impl FnOnce() -> Attempt) -> O {
        self()
    }
}

impl<F: FnMut(Attempt) -> O, O> Callable<(Attempt,)> for F {
    type Output = O;

    #[inline]
    fn start(&mut self, attempt: impl FnOnce() -> Attempt) -> O {
        self(attempt())
    }
}

/// An operation that returns a future.
pub trait Operation<M>: Callable<M, Output = Self::Future> {
    /// What it is for.
    type Value;
    /// What can go wrong.
    type Error;
    /// One try.
    type Future: Future<Output = Result<Self::Value, Self::Error>>;
}

impl<M, Op, Fut, T, E> Operation<M> for Op
where
    Op: Callable<M, Output = Fut>,
    Fut: Future<Output = Result<T, E>>,
{
    type Value = T;
    type Error = E;
    type Future = Fut;
}

/// An operation that has ended when it returns.
pub trait BlockingOperation<M>: Callable<M, Output = Result<Self::Value, Self::Error>> {
    /// What it is for.
    type Value;
    /// What can go wrong.
    type Error;
}

impl<M, Op, T, E> BlockingOperation<M> for Op
where
    Op: Callable<M, Output = Result<T, E>>,
{
    type Value = T;
    type Error = E;
}
