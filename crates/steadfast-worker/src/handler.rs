//! What does the work: any async function on a typed payload (D19).
//!
//! The worker knows nothing of payloads, answers and errors. So whatever a handler takes and
//! gives is turned to text and facts here, and the rest of the crate sees one sort of
//! [`Attempt`] only.

use std::future::{Future, ready};
use std::pin::Pin;

use serde::Serialize;
use serde::de::DeserializeOwned;
use steadfast::{Failure, Fault, Kind, extract};
use steadfast_store::document;

use crate::context::Context;

/// An attempt under way.
#[doc(hidden)]
pub type Attempt = Pin<Box<dyn Future<Output = Outcome> + Send>>;

/// How an attempt ended.
#[doc(hidden)]
#[derive(Debug)]
pub enum Outcome {
    /// It succeeded, with an answer as JSON.
    Done(Option<String>),
    /// It failed, and its policy judges what that means.
    Failed(Fault),
    /// It failed in a way that no other attempt can change.
    Hopeless(Fault),
}

/// A function that does tasks: of the payload, or of the payload and the [`Context`].
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
/// /// What it returns is kept as the task's result.
/// async fn print(invoice: Invoice, context: Context) -> Result<String, std::io::Error> {
///     Ok(format!("{} by attempt {}", invoice.number, context.attempt()))
/// }
/// # fn takes<M>(_: impl steadfast_worker::Handler<M>) {}
/// # takes(send);
/// # takes(print);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot do tasks",
    label = "not a handler",
    note = "a handler is `async fn(Payload) -> Result<Answer, Error>`, or with a \
            `steadfast_worker::Context` after the payload, where `Payload: Deserialize`, \
            `Answer: Serialize`, `Error: steadfast::Failure`, and its future is `Send`"
)]
pub trait Handler<M>: Send + Sync + 'static {
    /// Begins an attempt.
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
        match payload(context) {
            Ok(payload) => attempt(self(payload)),
            Err(fault) => Box::pin(ready(Outcome::Hopeless(fault))),
        }
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
        match payload(context) {
            Ok(payload) => attempt(self(payload, context.clone())),
            Err(fault) => Box::pin(ready(Outcome::Hopeless(fault))),
        }
    }
}

/// The payload, as the handler wants it. One that does not fit will not fit next time.
fn payload<P: DeserializeOwned>(context: &Context) -> Result<P, Fault> {
    serde_json::from_str(&context.claimed().payload).map_err(|error| {
        let kind = context.kind();
        let wanted = std::any::type_name::<P>();
        let message = format!(
            "the payload is not what the handler of `{kind}` takes ({wanted}): {error}; \
             submit the task again as it should be"
        );
        Fault::of(Kind::Data).with_type("BadPayload").with_message(message)
    })
}

fn attempt<T, E>(work: impl Future<Output = Result<T, E>> + Send + 'static) -> Attempt
where
    T: Serialize,
    E: Failure,
{
    Box::pin(async move {
        match work.await {
            Ok(answer) => answered(&answer),
            Err(error) => Outcome::Failed(extract::failure(&error)),
        }
    })
}

/// The answer as it is kept. The work was done: what cannot be kept must not have it repeated.
fn answered<T: Serialize>(answer: &T) -> Outcome {
    let problem = match serde_json::to_string(answer) {
        Ok(json) if json == "null" => return Outcome::Done(None),
        Ok(json) => match document("result", &json) {
            Ok(()) => return Outcome::Done(Some(json)),
            Err(problem) => problem.to_string(),
        },
        Err(error) => error.to_string(),
    };
    let message = format!("the work was done, but its result cannot be kept: {problem}");
    Outcome::Hopeless(Fault::of(Kind::Data).with_type("BadResult").with_message(message))
}
