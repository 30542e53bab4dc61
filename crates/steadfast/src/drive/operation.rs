//! Operations: functions without arguments or of the [`Attempt`], that return a result or a future
//! of one.
//!
//! The marker `Shape` distinguishes the four kinds of function; it is always inferred.

use std::future::Future;
use std::marker::PhantomData;

use super::{Attempt, Key};

/// The shape of a function of `Args` that returns a future of a result.
#[derive(Debug)]
pub struct Async<Args>(PhantomData<Args>);

/// The shape of a function of `Args` that returns a result.
#[derive(Debug)]
pub struct Blocking<Args>(PhantomData<Args>);

/// A function that can be retried.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be retried",
    label = "not a function without arguments or of an `Attempt` that returns a `Result` or a future of one",
    note = "write `|| ...`, or `|attempt: steadfast::Attempt| ...` with the type spelled out"
)]
pub trait Callable<Shape> {
    /// The type of a success.
    type Value;
    /// The type of an error.
    type Error;
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

    /// Whether the function is idempotent, if it is known (J9). The policy's setting takes precedence.
    #[doc(hidden)]
    fn idempotent(&self) -> Option<bool> {
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

/// Implements [`Callable`] for both kinds of arguments.
macro_rules! callable {
    ($shape:ident, $output:ty, [$($parameters:tt)*]) => {
        impl<F: FnMut() -> $output, $($parameters)*> Callable<$shape<()>> for F {
            type Value = T;
            type Error = E;
            type Output = $output;
            type Memory = NoKey;

            #[inline]
            fn start(
                &mut self,
                _: &mut NoKey,
                _: impl FnOnce(&mut Option<Key>) -> Attempt,
            ) -> $output {
                self()
            }
        }

        impl<F: FnMut(Attempt) -> $output, $($parameters)*> Callable<$shape<(Attempt,)>> for F {
            type Value = T;
            type Error = E;
            type Output = $output;
            type Memory = Option<Key>;

            #[inline]
            fn start(
                &mut self,
                key: &mut Option<Key>,
                attempt: impl FnOnce(&mut Option<Key>) -> Attempt,
            ) -> $output {
                self(attempt(key))
            }
        }
    };
}

callable!(Async, Fut, [Fut: Future<Output = Result<T, E>>, T, E]);
callable!(Blocking, Result<T, E>, [T, E]);

/// A function with the idempotency key of its session, if the caller set one.
#[derive(Clone, Debug)]
pub struct Keyed<Operation> {
    pub(super) operation: Operation,
    pub(super) key: Option<Key>,
}

#[diagnostic::do_not_recommend]
impl<Shape, Operation: Callable<Shape>> Callable<Shape> for Keyed<Operation> {
    type Value = Operation::Value;
    type Error = Operation::Error;
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

    fn idempotent(&self) -> Option<bool> {
        self.operation.idempotent()
    }
}

/// A function of which it is known whether it is idempotent.
#[cfg(feature = "sqlx")]
#[derive(Clone, Debug)]
pub(crate) struct Known<Operation> {
    pub(crate) operation: Operation,
    pub(crate) idempotent: bool,
}

#[cfg(feature = "sqlx")]
impl<Shape, Operation: Callable<Shape>> Callable<Shape> for Known<Operation> {
    type Value = Operation::Value;
    type Error = Operation::Error;
    type Output = Operation::Output;
    type Memory = Operation::Memory;

    #[inline]
    fn start(
        &mut self,
        memory: &mut Self::Memory,
        attempt: impl FnOnce(&mut Option<Key>) -> Attempt,
    ) -> Self::Output {
        self.operation.start(memory, attempt)
    }

    fn key(&self) -> Option<Key> {
        self.operation.key()
    }

    fn idempotent(&self) -> Option<bool> {
        Some(self.idempotent)
    }
}

/// An operation that returns a future.
#[diagnostic::on_unimplemented(
    message = "the operation is not async",
    label = "returns a result, not a future",
    note = "run it with `.call()` instead of `.await`"
)]
pub trait AsyncOperation<Shape>:
    Callable<
        Shape,
        Output: Future<
            Output = Result<<Self as Callable<Shape>>::Value, <Self as Callable<Shape>>::Error>,
        >,
    >
{
}

#[diagnostic::do_not_recommend]
impl<Shape, Operation> AsyncOperation<Shape> for Operation
where
    Operation: Callable<Shape>,
    Operation::Output: Future<Output = Result<Operation::Value, Operation::Error>>,
{
}

/// An operation that blocks and returns a result.
#[diagnostic::on_unimplemented(
    message = "the operation is async",
    label = "returns a future, not a result",
    note = "run it with `.await` instead of `.call()`"
)]
pub trait BlockingOperation<Shape>:
    Callable<Shape, Output = Result<<Self as Callable<Shape>>::Value, <Self as Callable<Shape>>::Error>>
{
}

#[diagnostic::do_not_recommend]
impl<Shape, Operation, T, E> BlockingOperation<Shape> for Operation where
    Operation: Callable<Shape, Value = T, Error = E, Output = Result<T, E>>
{
}
