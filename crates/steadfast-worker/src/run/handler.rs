//! Handlers: async functions of a typed payload (D19).
//!
//! Payloads, results and errors are converted to JSON and faults here, so that the rest of the crate
//! handles a single type of [`Attempt`].

use std::future::{Future, ready};
use std::pin::Pin;

use serde::Serialize;
use serde::de::DeserializeOwned;
use steadfast::{Failure, Fault, Kind, extract};
use steadfast_store::document;

use super::context::Context;

/// An attempt in progress.
#[doc(hidden)]
pub type Attempt = Pin<Box<dyn Future<Output = Outcome> + Send>>;

/// The outcome of an attempt.
#[doc(hidden)]
#[derive(Debug)]
pub enum Outcome {
    /// It succeeded with this result as JSON.
    Completed(Option<String>),
    /// It failed with this fault, which the policy classifies.
    Failed(Fault),
    /// It failed in a way that a retry cannot change.
    FailedForGood(Fault),
}

/// A function that runs tasks: of the payload, or of the payload and the [`Context`].
///
/// ```
/// use serde::Deserialize;
/// use steadfast_worker::Context;
///
/// #[derive(Deserialize)]
/// struct Invoice {
///     number: u32,
/// }
///
/// async fn send(invoice: Invoice) -> Result<(), std::io::Error> {
///     # let _ = invoice.number;
///     Ok(())
/// }
///
/// /// The return value is stored as the task's result.
/// async fn print(invoice: Invoice, context: Context) -> Result<String, std::io::Error> {
///     Ok(format!("{} by attempt {}", invoice.number, context.attempt()))
/// }
/// # fn takes<M>(_: impl steadfast_worker::Handler<M>) {}
/// # takes(send);
/// # takes(print);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a task handler",
    label = "not a handler",
    note = "a handler is `async fn(Payload) -> Result<Output, Error>`, or with a \
            `steadfast_worker::Context` after the payload, where `Payload: Deserialize`, \
            `Output: Serialize`, `Error: steadfast::Failure`, and its future is `Send`"
)]
pub trait Handler<M>: Send + Sync + 'static {
    /// Starts an attempt.
    #[doc(hidden)]
    fn start(&self, context: &Context) -> Attempt;
}

impl<F, Fut, P, T, E> Handler<(P,)> for F
where
    F: Fn(P) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<T, E>> + Send + 'static,
    P: DeserializeOwned,
    T: Serialize,
    E: Failure,
{
    fn start(&self, context: &Context) -> Attempt {
        attempt(payload(context).map(self))
    }
}

impl<F, Fut, P, T, E> Handler<(P, Context)> for F
where
    F: Fn(P, Context) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<T, E>> + Send + 'static,
    P: DeserializeOwned,
    T: Serialize,
    E: Failure,
{
    fn start(&self, context: &Context) -> Attempt {
        attempt(payload(context).map(|payload| self(payload, context.clone())))
    }
}

/// Deserializes the payload. One that does not match now will not match in a retry.
fn payload<P: DeserializeOwned>(context: &Context) -> Result<P, Fault> {
    serde_json::from_str(&context.claimed().payload).map_err(|error| {
        let kind = context.kind();
        let expected = std::any::type_name::<P>();
        let message = format!(
            "invalid payload for the handler of `{kind}` (expected {expected}): {error}; \
             submit a new task with a valid payload"
        );
        Fault::of(Kind::Data).with_type("BadPayload").with_message(message)
    })
}

/// The attempt of a handler that has started, unless its payload is invalid.
fn attempt<T: Serialize, E: Failure>(
    work: Result<impl Future<Output = Result<T, E>> + Send + 'static, Fault>,
) -> Attempt {
    let work = match work {
        Ok(work) => work,
        Err(fault) => return Box::pin(ready(Outcome::FailedForGood(fault))),
    };
    Box::pin(async move {
        match work.await {
            Ok(output) => completed(&output),
            Err(error) => Outcome::Failed(extract::failure(&error)),
        }
    })
}

/// The result as it is stored. The operation has succeeded, so a result that cannot be stored must not
/// cause a retry.
fn completed<T: Serialize>(output: &T) -> Outcome {
    let problem = match serde_json::to_string(output) {
        Ok(json) if json == "null" => return Outcome::Completed(None),
        Ok(json) => match document("result", &json) {
            Ok(()) => return Outcome::Completed(Some(json)),
            Err(problem) => problem.to_string(),
        },
        Err(error) => error.to_string(),
    };
    let message = format!("the operation succeeded, but its result cannot be stored: {problem}");
    Outcome::FailedForGood(Fault::of(Kind::Data).with_type("BadResult").with_message(message))
}
