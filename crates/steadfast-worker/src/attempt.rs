//! One attempt, and all that can end it: its handler, a panic, its time limit, a call to stop.
//!
//! Most attempts of a busy worker end when they are first polled. Those pay for nothing else:
//! the timer and the wait for a call to stop are made when a handler is found waiting.

use std::any::Any;
use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context as Wakeup, Poll};
use std::time::Duration;

use steadfast::{Fault, Kind};
use tokio::time::{sleep, sleep_until};

use crate::context::Context;
use crate::handler::{Attempt, Outcome};

/// How long a handler that listens may take to put things in order after it was called off.
pub(crate) const TIDY_UP: Duration = Duration::from_secs(1);

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
    let mut interruption: Option<Pin<Box<dyn Future<Output = ()> + Send + '_>>> = None;
    let outcome = poll_fn(|wakeup: &mut Wakeup<'_>| {
        match caught(|| attempt.as_mut().poll(wakeup)) {
            Ok(Poll::Ready(outcome)) => return Poll::Ready(Some(outcome)),
            Err(fault) => return Poll::Ready(Some(Outcome::Failed(fault))),
            Ok(Poll::Pending) => {}
        }
        let interruption = interruption.get_or_insert_with(|| Box::pin(interrupted(context)));
        interruption.as_mut().poll(wakeup).map(|()| None)
    })
    .await;
    drop(interruption);
    // What is left of it is the handler's code, too, and nobody asks how dropping it went.
    let _ = caught(|| drop(attempt));
    match outcome {
        Some(Outcome::Done(answer)) => Ended::With(Outcome::Done(answer)),
        _ if context.called_off().is_cancelled() => Ended::CalledOff,
        Some(outcome) => Ended::With(outcome),
        None => {
            // What the handler has started elsewhere is not wanted any more.
            context.called_off().cancel();
            Ended::With(Outcome::Failed(timed_out()))
        }
    }
}

/// Resolves when the handler must stop where it is.
async fn interrupted(context: &Context) {
    let limit = async {
        match context.deadline() {
            Some(deadline) => sleep_until(deadline).await,
            None => std::future::pending().await,
        }
    };
    tokio::select! {
        () = context.called_off().cancelled() => {}
        () = limit => return,
    }
    if context.is_listened_to() {
        sleep(TIDY_UP).await;
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
