//! A [`tower::Layer`] that tries the calls of a service again.
//!
//! Tower has a retry middleware of its own, which leaves to its user all that
//! this crate is about: what to try again, when, how often, and what many
//! callers do together to a service that is down. This one is told by a
//! [`Policy`].
//!
//! # What the caller gets
//!
//! | the session ended | the call returns |
//! |---|---|
//! | with a success | `Ok`, the response |
//! | without, because of a response | `Ok`, the last response: a 503 that stays one is seen as a 503 |
//! | without, because of an error | `Err`, a [`GivenUp`] whose `source()` is the last error |
//! | without either: breaker open, attempt cut off | `Err`, a [`GivenUp`] |
//!
//! The error is a [`BoxError`], as it is of all of tower's middleware that can
//! fail by itself, so that this one fits above and below any of it;
//! `downcast_ref::<GivenUp>()` opens it. There is one exception to the second
//! line: if a session around this one [will try again](crate::policy::Nested),
//! the response is left to it as an error, or it would take it for a success.
//!
//! # Readiness
//!
//! Each attempt waits for a clone of the service to be ready. Waiting is part of
//! the attempt: `attempt_timeout` covers it, and a service that says in
//! `poll_ready` that it has no connection is tried again like one that says so
//! in `call`. So the service of this layer itself is always ready; put a limit
//! on what waits (`ConcurrencyLimit`, `LoadShed`) above it, not below.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use tower::util::ServiceExt;
use tower::{BoxError, Layer, Service};

use super::error::{Left, take_apart};
use super::guards::SharedGuards;
use crate::drive::{Any, Own, Real, Sleeper};
use crate::fault::{Failure, Fault, extract};
use crate::guard::{Breaker, Budget};
use crate::{Attempt, Policy, retry};

pub use super::GivenUp;

/// Where the facts of a service's errors come from: from the errors ([`Own`]), or from a
/// function.
#[doc(hidden)]
pub trait ErrorFacts<E> {
    /// The facts of this error.
    fn fault(&self, error: &E) -> Fault;
}

impl<E: Failure> ErrorFacts<E> for Own {
    fn fault(&self, error: &E) -> Fault {
        extract::failure(error)
    }
}

impl<E, F: Fn(&E) -> Fault> ErrorFacts<E> for F {
    fn fault(&self, error: &E) -> Fault {
        self(error)
    }
}

/// Which responses will not do: none ([`Any`] will), an HTTP error ([`Http`]), or what a
/// function says.
#[doc(hidden)]
pub trait ResponseFacts<T> {
    /// The facts of a response that will not do.
    fn fault(&self, response: &T) -> Option<Fault>;
}

impl<T> ResponseFacts<T> for Any {
    fn fault(&self, _: &T) -> Option<Fault> {
        None
    }
}

impl<T, F: Fn(&T) -> Option<Fault>> ResponseFacts<T> for F {
    fn fault(&self, response: &T) -> Option<Fault> {
        self(response)
    }
}

/// HTTP responses that say 4xx or 5xx will not do (J6).
#[cfg(feature = "http")]
#[derive(Clone, Copy, Debug)]
#[doc(hidden)]
pub struct Http;

#[cfg(feature = "http")]
impl<B> ResponseFacts<http::Response<B>> for Http {
    fn fault(&self, response: &http::Response<B>) -> Option<Fault> {
        super::answer(response.status(), response.headers())
    }
}

/// What is done to the request of each attempt: nothing ([`AsItIs`]), or what a function does.
#[doc(hidden)]
pub trait Prepare<Req> {
    /// Prepares a copy of the request for this attempt.
    fn prepare(&self, request: &mut Req, attempt: &Attempt);
}

/// Every attempt sends the same.
#[derive(Clone, Copy, Debug)]
#[doc(hidden)]
pub struct AsItIs;

impl<Req> Prepare<Req> for AsItIs {
    fn prepare(&self, _: &mut Req, _: &Attempt) {}
}

impl<Req, F: Fn(&mut Req, &Attempt)> Prepare<Req> for F {
    fn prepare(&self, request: &mut Req, attempt: &Attempt) {
        self(request, attempt);
    }
}

/// Tries the calls of a service under a policy.
///
/// ```
/// use std::time::Duration;
/// use steadfast::layer::tower::RetryLayer;
/// use steadfast::{Jitter, Policy};
/// use tower::{ServiceBuilder, ServiceExt, service_fn};
///
/// # #[cfg(feature = "tokio")]
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), tower::BoxError> {
/// # async fn connect(_: &'static str) -> std::io::Result<u16> { Ok(80) }
/// let policy = Policy::exponential(Duration::from_millis(100)).jitter(Jitter::Full).build()?;
/// let service = ServiceBuilder::new()
///     .timeout(Duration::from_secs(30)) // of all attempts together
///     .layer(RetryLayer::new(policy))
///     .timeout(Duration::from_secs(5)) // of each
///     .service(service_fn(connect));
/// assert_eq!(service.oneshot("localhost").await?, 80);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "tokio"))]
/// # fn main() {}
/// ```
pub struct RetryLayer<F = Own, V = Any, P = AsItIs, Z = Real> {
    settings: Settings<F, V, P, Z>,
}

/// All that a layer was told.
#[derive(Clone)]
struct Settings<F, V, P, Z> {
    policy: Arc<Policy>,
    guards: SharedGuards,
    facts: F,
    responses: V,
    prepare: P,
    environment: Z,
}

impl RetryLayer {
    /// A layer with this policy. Errors tell their own facts, and every response will do.
    pub fn new(policy: impl Into<Arc<Policy>>) -> Self {
        let settings = Settings {
            policy: policy.into(),
            guards: SharedGuards::default(),
            facts: Own,
            responses: Any,
            prepare: AsItIs,
            environment: Real,
        };
        Self { settings }
    }
}

impl<F, V, P, Z> RetryLayer<F, V, P, Z> {
    /// How facts are drawn from errors that do not tell them themselves.
    ///
    /// ```
    /// use steadfast::layer::tower::RetryLayer;
    /// use steadfast::{Fault, Kind, Policy};
    ///
    /// # struct Overloaded;
    /// let policy = Policy::immediate().build()?;
    /// let layer = RetryLayer::new(policy).facts(|_: &Overloaded| Fault::of(Kind::Busy));
    /// # let _ = layer;
    /// # Ok::<(), steadfast::policy::PolicyError>(())
    /// ```
    pub fn facts<E, H: Fn(&E) -> Fault>(self, facts: H) -> RetryLayer<H, V, P, Z> {
        let Settings { policy, guards, responses, prepare, environment, .. } = self.settings;
        let settings = Settings { policy, guards, facts, responses, prepare, environment };
        RetryLayer { settings }
    }

    /// Finds faults in responses, too (I3).
    ///
    /// ```
    /// use steadfast::layer::tower::RetryLayer;
    /// use steadfast::{Fault, Kind, Policy};
    ///
    /// let policy = Policy::immediate().build()?;
    /// let nothing_yet = |found: &Vec<u32>| found.is_empty().then(|| Fault::of(Kind::ValueRejected));
    /// let layer = RetryLayer::new(policy).response_facts(nothing_yet);
    /// # let _ = layer;
    /// # Ok::<(), steadfast::policy::PolicyError>(())
    /// ```
    pub fn response_facts<T, H: Fn(&T) -> Option<Fault>>(
        self,
        responses: H,
    ) -> RetryLayer<F, H, P, Z> {
        self.with_responses(responses)
    }

    /// Judges HTTP responses: 4xx and 5xx are faults, by their status and `Retry-After` (J6).
    ///
    /// ```
    /// use http::{Request, Response};
    /// use steadfast::Policy;
    /// use steadfast::layer::tower::RetryLayer;
    /// use tower::{ServiceBuilder, ServiceExt, service_fn};
    ///
    /// # #[cfg(feature = "tokio")]
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), tower::BoxError> {
    /// # async fn send(_: Request<()>) -> std::io::Result<Response<()>> {
    /// #     Ok(Response::builder().status(503).body(()).unwrap())
    /// # }
    /// let policy = Policy::immediate().max_attempts(2).build()?;
    /// let client = ServiceBuilder::new()
    ///     .layer(RetryLayer::new(policy).http())
    ///     .service(service_fn(send));
    /// let response = client.oneshot(Request::get("/").body(())?).await?;
    /// assert_eq!(response.status(), 503); // the second time, too
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "tokio"))]
    /// # fn main() {}
    /// ```
    #[cfg(feature = "http")]
    pub fn http(self) -> RetryLayer<F, Http, P, Z> {
        self.with_responses(Http)
    }

    fn with_responses<W>(self, responses: W) -> RetryLayer<F, W, P, Z> {
        let Settings { policy, guards, facts, prepare, environment, .. } = self.settings;
        let settings = Settings { policy, guards, facts, responses, prepare, environment };
        RetryLayer { settings }
    }

    /// Prepares the request of each attempt (I2). One that sends the session's key is safe to
    /// repeat, even under a policy that is not idempotent (J9):
    ///
    /// ```
    /// use http::{HeaderValue, Request};
    /// use steadfast::layer::tower::RetryLayer;
    /// use steadfast::{Attempt, Policy};
    ///
    /// let policy = Policy::immediate().idempotent(false).build()?;
    /// let layer = RetryLayer::new(policy).prepare(|request: &mut Request<String>, attempt: &Attempt| {
    ///     if let Ok(key) = HeaderValue::try_from(attempt.key().to_string()) {
    ///         request.headers_mut().insert("idempotency-key", key);
    ///     }
    /// });
    /// # let _ = layer;
    /// # Ok::<(), steadfast::policy::PolicyError>(())
    /// ```
    pub fn prepare<Req, H: Fn(&mut Req, &Attempt)>(self, prepare: H) -> RetryLayer<F, V, H, Z> {
        let Settings { policy, guards, facts, responses, environment, .. } = self.settings;
        let settings = Settings { policy, guards, facts, responses, prepare, environment };
        RetryLayer { settings }
    }

    /// Asks a breaker before each attempt. All services that share it share its state.
    #[must_use]
    pub fn breaker(mut self, breaker: Arc<Breaker>) -> Self {
        self.settings.guards.breaker = Some(breaker);
        self
    }

    /// Draws every retry from a budget. All services that share it draw from one.
    #[must_use]
    pub fn budget(mut self, budget: Arc<Budget>) -> Self {
        self.settings.guards.budget = Some(budget);
        self
    }

    /// Another clock, timer and source of chance.
    pub fn environment<Y: Sleeper>(self, environment: Y) -> RetryLayer<F, V, P, Y> {
        let Settings { policy, guards, facts, responses, prepare, .. } = self.settings;
        let settings = Settings { policy, guards, facts, responses, prepare, environment };
        RetryLayer { settings }
    }
}

impl<S, F: Clone, V: Clone, P: Clone, Z: Clone> Layer<S> for RetryLayer<F, V, P, Z> {
    type Service = Retry<S, F, V, P, Z>;

    fn layer(&self, service: S) -> Self::Service {
        Retry { service, settings: Arc::new(self.settings.clone()) }
    }
}

impl<F: Clone, V: Clone, P: Clone, Z: Clone> Clone for RetryLayer<F, V, P, Z> {
    fn clone(&self) -> Self {
        Self { settings: self.settings.clone() }
    }
}

impl<F, V, P, Z> fmt::Debug for RetryLayer<F, V, P, Z> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RetryLayer").field("policy", &self.settings.policy).finish_non_exhaustive()
    }
}

/// A service whose calls are tried again. Made by [`RetryLayer`].
pub struct Retry<S, F = Own, V = Any, P = AsItIs, Z = Real> {
    service: S,
    settings: Arc<Settings<F, V, P, Z>>,
}

impl<S: Clone, F, V, P, Z> Clone for Retry<S, F, V, P, Z> {
    fn clone(&self) -> Self {
        Self { service: self.service.clone(), settings: Arc::clone(&self.settings) }
    }
}

impl<S: fmt::Debug, F, V, P, Z> fmt::Debug for Retry<S, F, V, P, Z> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Retry")
            .field("service", &self.service)
            .field("policy", &self.settings.policy)
            .finish_non_exhaustive()
    }
}

impl<S, Req, F, V, P, Z> Service<Req> for Retry<S, F, V, P, Z>
where
    S: Service<Req, Error: Into<BoxError> + Send, Response: Send, Future: Send>,
    S: Clone + Send + 'static,
    Req: Clone + Send + 'static,
    F: ErrorFacts<S::Error> + Send + Sync + 'static,
    V: ResponseFacts<S::Response> + Send + Sync + 'static,
    P: Prepare<Req> + Send + Sync + 'static,
    Z: Sleeper<Sleep: Send> + Clone + Send + Sync + 'static,
{
    type Response = S::Response;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<S::Response, BoxError>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Req) -> Self::Future {
        let service = self.service.clone();
        let settings = Arc::clone(&self.settings);
        Box::pin(async move {
            let settings = &*settings;
            let call = move |attempt: Attempt| {
                let mut request = request.clone();
                settings.prepare.prepare(&mut request, &attempt);
                service.clone().oneshot(request)
            };
            let session = retry(&settings.policy, call)
                .facts(|error: &S::Error| settings.facts.fault(error))
                .value_facts(|response: &S::Response| settings.responses.fault(response))
                .instrument(settings.guards.in_session())
                .environment(settings.environment.clone());
            let (left, gave_up) = match session.await {
                Ok(response) => return Ok(response),
                Err(error) => take_apart(error),
            };
            let last_error = match left {
                Left::Answer(response) => return Ok(response),
                Left::Error(error) => Some(error.into()),
                Left::Nothing => None,
            };
            Err(GivenUp::new(gave_up, last_error).into())
        })
    }
}
