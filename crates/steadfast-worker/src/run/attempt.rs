//! One attempt, which ends by its handler, a panic, its time limit or a cancellation.
//!
//! Most attempts of a busy worker end at their first poll. These pay for nothing else: the timer and
//! the wait for a cancellation are created once a handler is pending.

use std::any::Any;
use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::task::{Context as Wakeup, Poll};
use std::time::Duration;

use steadfast::{Fault, Kind, duration};
use tokio::time::{sleep, sleep_until};

use super::context::Context;
use super::handler::{Attempt, Outcome};

/// The end of an attempt.
#[derive(Debug)]
pub(super) enum AttemptEnd {
    /// The handler returned, or its time limit expired.
    Finished(Outcome),
    /// It was cancelled before it succeeded, so its outcome does not count.
    Cancelled,
}

pub(super) async fn run(start: impl FnOnce() -> Attempt, context: &Context) -> AttemptEnd {
    let mut attempt = match catch_panic(start) {
        Ok(attempt) => attempt,
        Err(fault) => return AttemptEnd::Finished(Outcome::Failed(fault)),
    };
    let end = match poll_until(&mut attempt, || interruption(context)).await {
        Ok(outcome) if context.cancellation().is_cancelled() => {
            Interruption::Cancelled.end(Some(outcome), context)
        }
        Ok(outcome) => AttemptEnd::Finished(outcome),
        Err(interruption) => interruption.end(clean_up(&mut attempt, context).await, context),
    };
    // Dropping the future runs handler code, too; its panic does not matter any more.
    let _ = catch_panic(|| drop(attempt));
    end
}

/// Polls an attempt to its outcome, unless `interrupt` resolves first.
async fn poll_until<F: Future>(
    attempt: &mut Attempt,
    interrupt: impl Fn() -> F,
) -> Result<Outcome, F::Output> {
    let mut pending_interrupt = None;
    poll_fn(|wakeup: &mut Wakeup<'_>| {
        match catch_panic(|| attempt.as_mut().poll(wakeup)) {
            Ok(Poll::Ready(outcome)) => return Poll::Ready(Ok(outcome)),
            Err(fault) => return Poll::Ready(Ok(Outcome::Failed(fault))),
            Ok(Poll::Pending) => {}
        }
        pending_interrupt
            .get_or_insert_with(|| Box::pin(interrupt()))
            .as_mut()
            .poll(wakeup)
            .map(Err)
    })
    .await
}

/// The reason for interrupting a handler.
#[derive(Clone, Copy)]
enum Interruption {
    TimedOut,
    Cancelled,
}

async fn interruption(context: &Context) -> Interruption {
    let limit = async {
        match context.deadline() {
            Some(deadline) => sleep_until(deadline).await,
            None => std::future::pending().await,
        }
    };
    tokio::select! {
        () = context.cancellation().cancelled() => Interruption::Cancelled,
        () = limit => Interruption::TimedOut,
    }
}

/// Cancels the handler and gives it the cleanup time it has requested. Returns its outcome, if any.
async fn clean_up(attempt: &mut Attempt, context: &Context) -> Option<Outcome> {
    context.cancellation().cancel();
    let time = context.cleanup_time();
    if time.is_zero() {
        return None;
    }
    poll_until(attempt, || sleep(time)).await.ok()
}

impl Interruption {
    /// An attempt that completes during cleanup counts as completed.
    fn end(self, outcome: Option<Outcome>, context: &Context) -> AttemptEnd {
        match (self, outcome) {
            (_, Some(completed @ Outcome::Completed(_))) => AttemptEnd::Finished(completed),
            (Self::Cancelled, _) => AttemptEnd::Cancelled,
            (Self::TimedOut, _) => {
                AttemptEnd::Finished(Outcome::Failed(timed_out(context.limit())))
            }
        }
    }
}

/// The operation may have taken effect.
fn timed_out(limit: Option<Duration>) -> Fault {
    let limit = limit.map(|limit| format!(" after {}", duration::format(limit)));
    let message = format!("timed out{}", limit.unwrap_or_default());
    Fault::of(Kind::Timeout).with_unknown_outcome().with_message(message)
}

/// Runs handler code and turns a panic into a fault, which the policy's rules classify
/// (`retry_on: [Panic]`).
fn catch_panic<T>(code: impl FnOnce() -> T) -> Result<T, Fault> {
    catch_unwind(AssertUnwindSafe(code)).map_err(|panic| {
        let message = format!("handler panicked: {}", panic_message(&*panic));
        Fault::of(Kind::Other).with_type("Panic").with_message(message)
    })
}

fn panic_message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message")
}
