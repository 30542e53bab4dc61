//! Retries of HTTP clients without middleware: [`Retry::http`].
//!
//! A client such as `reqwest` returns a 503 as a value. With `http()` it is a failure, judged by its
//! status and its [retry signals](RetrySignals) such as `Retry-After`, as the middleware does it.

#![allow(clippy::type_complexity, reason = "the settings of a call are type parameters")]

use std::ops::Deref;

use ::http::{HeaderMap, StatusCode};

use super::response_fault;
use crate::drive::{Callable, Environment, FromFn, Judges, Probes, ValueFacts};
use crate::fault::RetrySignals;
use crate::{Fault, Instrument, Policy, Retry};

/// A response whose status and headers can be judged.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an HTTP response",
    note = "`http()` judges the responses of `reqwest` and of the `http` crate; use `value_facts` for others"
)]
pub trait HttpResponse {
    /// The status.
    fn status(&self) -> StatusCode;

    /// The headers.
    fn headers(&self) -> &HeaderMap;
}

impl<B> HttpResponse for http::Response<B> {
    fn status(&self) -> StatusCode {
        self.status()
    }

    fn headers(&self) -> &HeaderMap {
        self.headers()
    }
}

#[cfg(feature = "reqwest")]
impl HttpResponse for reqwest::Response {
    fn status(&self) -> StatusCode {
        self.status()
    }

    fn headers(&self) -> &HeaderMap {
        self.headers()
    }
}

impl<PolicyRef, Operation, Shape, Facts, Values, Override, Instruments, Env, Probe, Success>
    Retry<
        PolicyRef,
        Operation,
        Shape,
        Judges<Facts, Values, Override>,
        Instruments,
        Env,
        Probe,
        Success,
    >
where
    PolicyRef: Deref<Target = Policy>,
    Operation: Callable<Shape, Value: HttpResponse>,
    Values: ValueFacts<Operation::Value>,
    Instruments: Instrument,
    Env: Environment,
    Probe: Probes,
{
    /// Treats 4xx and 5xx responses as faults, by their status and their retry signals such as
    /// `Retry-After` (J6).
    ///
    /// ```no_run
    /// use std::time::Duration;
    /// use steadfast::{Jitter, Policy, retry};
    ///
    /// # #[cfg(all(feature = "reqwest", feature = "tokio"))]
    /// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
    /// let policy = Policy::exponential(Duration::from_millis(200)).jitter(Jitter::Full).build()?;
    /// let client = reqwest::Client::new();
    /// let response = retry(&policy, || client.get("https://api.example/").send()).http().await?;
    /// println!("{}", response.text().await?);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// The response of the last attempt is in the error:
    ///
    /// ```
    /// use http::Response;
    /// use steadfast::{Policy, Reason, retry};
    ///
    /// let policy = Policy::immediate().build()?;
    /// let missing = || Ok::<_, std::io::Error>(Response::builder().status(404).body("no page").unwrap());
    /// let error = retry(&policy, missing).http().call().unwrap_err();
    /// assert_eq!((error.reason(), error.attempts()), (Reason::Final, 1));
    /// assert_eq!(*error.into_value().unwrap().body(), "no page");
    /// # Ok::<(), steadfast::policy::PolicyError>(())
    /// ```
    #[inline(always)]
    pub fn http(
        self,
    ) -> Retry<
        PolicyRef,
        Operation,
        Shape,
        Judges<Facts, FromFn<impl Fn(&Operation::Value) -> Option<Fault>>, Override>,
        Instruments,
        Env,
        Probe,
        Success,
    > {
        self.http_with(RetrySignals::ALL)
    }

    /// The same, without the retry signals that are turned off.
    ///
    /// ```
    /// use http::Response;
    /// use steadfast::fault::{RetrySignal, RetrySignals};
    /// use steadfast::{Policy, retry};
    ///
    /// let stop = || Response::builder().status(503).header("x-should-retry", "false").body(());
    /// let policy = Policy::immediate().build()?;
    /// let signals = RetrySignals::ALL.without(RetrySignal::XShouldRetry);
    /// let error = retry(&policy, stop).facts(|_| steadfast::Fault::default())
    ///     .http_with(signals)
    ///     .call()
    ///     .unwrap_err();
    /// assert_eq!(error.attempts(), 3);
    /// # Ok::<(), steadfast::policy::PolicyError>(())
    /// ```
    #[inline(always)]
    pub fn http_with(
        self,
        signals: RetrySignals,
    ) -> Retry<
        PolicyRef,
        Operation,
        Shape,
        Judges<Facts, FromFn<impl Fn(&Operation::Value) -> Option<Fault>>, Override>,
        Instruments,
        Env,
        Probe,
        Success,
    > {
        self.value_facts(move |response| {
            response_fault(signals, response.status(), response.headers())
        })
    }
}
