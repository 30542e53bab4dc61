//! Mutable state of the caller that is passed from one attempt to the next: [`retry_with_context`].

use std::future::Future;
use std::sync::Arc;

use super::operation::{Async, Blocking, Callable, NoKey};
use super::retry::{Retry, retry};
use super::{Attempt, Key};
use crate::borrow_slot::{BorrowSlot, SlotBorrow};
use crate::policy::Policy;

/// Runs an operation that needs exclusive access to something, such as a connection, under a policy.
///
/// An async closure cannot lend each attempt a `&mut` that it captured. So the operation receives it as
/// an argument, a [`Context`], which dereferences to it.
///
/// ```
/// use steadfast::{Policy, retry_with_context};
/// # struct Connection { sent: u32 }
/// # impl Connection {
/// #     async fn send(&mut self, _: &str) -> std::io::Result<u32> { self.sent += 1; Ok(self.sent) }
/// # }
///
/// # #[cfg(feature = "tokio")]
/// async fn greet(connection: &mut Connection, policy: &Policy) -> std::io::Result<u32> {
///     let sent = retry_with_context(policy, connection, async |mut connection| {
///         connection.send("hello").await
///     });
///     Ok(sent.await?)
/// }
/// ```
#[inline]
pub fn retry_with_context<'p, 'c, Shape, State: ?Sized, F, Output>(
    policy: &'p Policy,
    context: &'c mut State,
    operation: F,
) -> Retry<&'p Policy, InContext<'c, State, F>, Shape>
where
    F: FnMut(Context<'c, State>) -> Output,
    InContext<'c, State, F>: Callable<Shape>,
{
    retry(policy, InContext { operation, slot: Arc::new(BorrowSlot::new(context)) })
}

/// The mutable state of the caller, for one attempt. It returns to the session when it is dropped.
pub type Context<'c, State> = SlotBorrow<'c, State, Arc<BorrowSlot<'c, State>>>;

/// A function of a [`Context`], with the state between attempts.
#[derive(Debug)]
pub struct InContext<'c, State: ?Sized, F> {
    operation: F,
    slot: Arc<BorrowSlot<'c, State>>,
}

/// Implements [`Callable`] for one shape.
macro_rules! in_context {
    ($shape:ident, $output:ty, [$($parameters:tt)*]) => {
        #[diagnostic::do_not_recommend]
        impl<'c, State, F, $($parameters)*> Callable<$shape<(Context<'c, State>,)>>
            for InContext<'c, State, F>
        where
            State: ?Sized,
            F: FnMut(Context<'c, State>) -> $output,
        {
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
                (self.operation)(SlotBorrow::of(Arc::clone(&self.slot)))
            }
        }
    };
}

in_context!(Async, Fut, [Fut: Future<Output = Result<T, E>>, T, E]);
in_context!(Blocking, Result<T, E>, [T, E]);
