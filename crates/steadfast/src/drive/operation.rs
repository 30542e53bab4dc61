//! What can be tried: a function of nothing or of the [`Attempt`], that returns
//! a result or a future of one.
//!
//! The marker `M` tells the two kinds of function apart; it is always inferred.

use std::future::Future;

use super::{Attempt, Key};

/// A function that can be tried.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be tried",
    label = "not a function of nothing or of an `Attempt`",
    note = "write `|| ...`, or `|attempt: steadfast::Attempt| ...` with the type spelled out"
)]
pub trait Callable<M> {
    /// What it returns: a result, or a future of one.
    type Output;
    /// What a session must remember of its first attempt: the key, if it was handed out.
    type Memory: Default + Into<Option<Key>>;

    /// Tries once. `attempt` is only asked for if the function takes it.
    fn start(
        &mut self,
        memory: &mut Self::Memory,
        attempt: impl FnOnce(&mut Option<Key>) -> Attempt,
    ) -> Self::Output;

    /// The idempotency key that was given with it.
    fn key(&self) -> Option<Key> {
        None
    }
}

/// No key was handed out, so there is none to remember.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoKey;

impl From<NoKey> for Option<Key> {
    fn from(_: NoKey) -> Self {
        None
    }
}

impl<F: FnMut() -> O, O> Callable<()> for F {
    type Output = O;
    type Memory = NoKey;

    #[inline]
    fn start(&mut self, _: &mut NoKey, _: impl FnOnce(&mut Option<Key>) -> Attempt) -> O {
        self()
    }
}

impl<F: FnMut(Attempt) -> O, O> Callable<(Attempt,)> for F {
    type Output = O;
    type Memory = Option<Key>;

    #[inline]
    fn start(
        &mut self,
        key: &mut Option<Key>,
        attempt: impl FnOnce(&mut Option<Key>) -> Attempt,
    ) -> O {
        self(attempt(key))
    }
}

/// A function with the idempotency key of its session, if it was given one.
#[derive(Clone, Debug)]
pub struct Keyed<Op> {
    pub(super) operation: Op,
    pub(super) key: Option<Key>,
}

impl<M, Op: Callable<M>> Callable<M> for Keyed<Op> {
    type Output = Op::Output;
    type Memory = Op::Memory;

    #[inline]
    fn start(
        &mut self,
        memory: &mut Self::Memory,
        attempt: impl FnOnce(&mut Option<Key>) -> Attempt,
    ) -> Self::Output {
        let key = &self.key;
        self.operation.start(memory, |made| {
            if made.is_none() {
                made.clone_from(key);
            }
            attempt(made)
        })
    }

    fn key(&self) -> Option<Key> {
        self.key.clone()
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
