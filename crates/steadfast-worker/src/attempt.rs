//! One attempt, and all that can end it: its handler, a panic, its time limit, a call to stop.
//!
//! Most attempts of a busy worker end when they are first polled. Those pay for nothing else:
//! the timer and the wait for a call to stop are made when a handler is found waiting.

use std::any::Any;
use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::task::{Context as Wakeup, Poll};

use steadfast::{Fault, Kind};
use tokio::time::{sleep, sleep_until};

use crate::context::Context;
use crate::handler::{Attempt, Outcome};

/// How an attempt ended.
#[derive(Debug)]
pub(crate) enum Ended {
    /// By itself, or by its time limit.
    With(Outcome),
    /// It was called off before it succeeded: there is nothing to say of it.
    CalledOff,
}

/// Runs an attempt to its end.
pub(crate) async fn run(start: impl FnOnce() -> Attempt, context: &Context) -> Ended {
    let mut attempt = match caught(start) {
        Ok(attempt) => attempt,
        Err(fault) => return Ended::With(Outcome::Failed(fault)),
    };
    let ended = match until(&mut attempt, || interruption(context)).await {
        Ok(outcome) if context.called_off().is_cancelled() => {
            Interruption::CalledOff.ended(Some(outcome))
        }
        Ok(outcome) => Ended::With(outcome),
        Err(interruption) => interruption.ended(tidied_up(&mut attempt, context).await),
    };
    // What is left of it is the handler's code, too, and nobody asks how dropping it went.
    let _ = caught(|| drop(attempt));
    ended
}

/// What an attempt ends with, unless something else is over first.
async fn until<F: Future>(
    attempt: &mut Attempt,
    over: impl Fn() -> F,
) -> Result<Outcome, F::Output> {
    let mut end = None;
    poll_fn(|wakeup: &mut Wakeup<'_>| {
        match caught(|| attempt.as_mut().poll(wakeup)) {
            Ok(Poll::Ready(outcome)) => return Poll::Ready(Ok(outcome)),
            Err(fault) => return Poll::Ready(Ok(Outcome::Failed(fault))),
            Ok(Poll::Pending) => {}
        }
        end.get_or_insert_with(|| Box::pin(over())).as_mut().poll(wakeup).map(Err)
    })
    .await
}

/// What makes a handler stop where it is.
#[derive(Clone, Copy)]
enum Interruption {
    TooSlow,
    CalledOff,
}

async fn interruption(context: &Context) -> Interruption {
    let limit = async {
        match context.deadline() {
            Some(deadline) => sleep_until(deadline).await,
            None => std::future::pending().await,
        }
    };
    tokio::select! {
        () = context.called_off().cancelled() => Interruption::CalledOff,
        () = limit => Interruption::TooSlow,
    }
}

/// Tells the handler, and what it has started elsewhere, that it is not wanted any more. What it
/// says to that, if it listens.
async fn tidied_up(attempt: &mut Attempt, context: &Context) -> Option<Outcome> {
    context.called_off().cancel();
    let time = context.tidy_up();
    if time.is_zero() {
        return None;
    }
    until(attempt, || sleep(time)).await.ok()
}

impl Interruption {
    /// Work that was done all the same is done.
    fn ended(self, outcome: Option<Outcome>) -> Ended {
        match (self, outcome) {
            (_, Some(done @ Outcome::Done(_))) => Ended::With(done),
            (Self::CalledOff, _) => Ended::CalledOff,
            (Self::TooSlow, _) => Ended::With(Outcome::Failed(timed_out())),
        }
    }
}

/// The request may have been sent, so it may have taken effect.
fn timed_out() -> Fault {
    Fault::of(Kind::Timeout).with_unknown_outcome().with_message("the attempt took too long")
}

/// Runs a handler's code. Its panic is a fault like any other: nobody knows what it means, so
/// the policy's rules have to (`retry_on: [Panic]`).
fn caught<T>(code: impl FnOnce() -> T) -> Result<T, Fault> {
    catch_unwind(AssertUnwindSafe(code)).map_err(|panic| {
        let message = format!("the handler panicked: {}", words(&*panic));
        Fault::of(Kind::Other).with_type("Panic").with_message(message)
    })
}

fn words(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message")
}
