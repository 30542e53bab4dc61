//! Operations: functions without arguments or of the [`Attempt`], that return a result or a future
//! of one.
//!
//! The marker `Args` distinguishes the two kinds of function; it is always inferred.

use std::future::Future;

use super::{Attempt, Key};

/// A function that can be retried.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be retried",
    label = "not a function without arguments or of an `Attempt`",
    note = "write `|| ...`, or `|attempt: steadfast::Attempt| ...` with the type spelled out"
)]
pub trait Callable<Args> {
    /// What it returns: a result, or a future of one.
    type Output;
    /// What a session keeps of its first attempt: the key, if the function received one.
    type Memory: Default + Into<Option<Key>>;

    /// Starts one attempt. `attempt` is only called if the function takes it.
    fn start(
        &mut self,
        memory: &mut Self::Memory,
        attempt: impl FnOnce(&mut Option<Key>) -> Attempt,
    ) -> Self::Output;

    /// The idempotency key that the caller set.
    fn key(&self) -> Option<Key> {
        None
    }
}

/// The memory of a function that receives no key.
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

/// A function with the idempotency key of its session, if the caller set one.
#[derive(Clone, Debug)]
pub struct Keyed<Operation> {
    pub(super) operation: Operation,
    pub(super) key: Option<Key>,
}

impl<Args, Operation: Callable<Args>> Callable<Args> for Keyed<Operation> {
    type Output = Operation::Output;
    type Memory = Operation::Memory;

    #[inline]
    fn start(
        &mut self,
        memory: &mut Self::Memory,
        attempt: impl FnOnce(&mut Option<Key>) -> Attempt,
    ) -> Self::Output {
        let key = &self.key;
        self.operation.start(memory, |generated| {
            if generated.is_none() {
                generated.clone_from(key);
            }
            attempt(generated)
        })
    }

    fn key(&self) -> Option<Key> {
        self.key.clone()
    }
}

/// An operation that returns a future.
pub trait AsyncOperation<Args>: Callable<Args, Output = Self::Future> {
    /// The type of a success.
    type Value;
    /// The type of an error.
    type Error;
    /// The future of one attempt.
    type Future: Future<Output = Result<Self::Value, Self::Error>>;
}

impl<Args, Operation, Fut, T, E> AsyncOperation<Args> for Operation
where
    Operation: Callable<Args, Output = Fut>,
    Fut: Future<Output = Result<T, E>>,
{
    type Value = T;
    type Error = E;
    type Future = Fut;
}

/// An operation that blocks and returns a result.
pub trait BlockingOperation<Args>:
    Callable<Args, Output = Result<Self::Value, Self::Error>>
{
    /// The type of a success.
    type Value;
    /// The type of an error.
    type Error;
}

impl<Args, Operation, T, E> BlockingOperation<Args> for Operation
where
    Operation: Callable<Args, Output = Result<T, E>>,
{
    type Value = T;
    type Error = E;
}
