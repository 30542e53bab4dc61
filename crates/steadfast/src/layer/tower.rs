//! A [`tower::Layer`] that retries the calls of a service.
//!
//! Tower's own retry middleware leaves the decisions to its user: what to retry, when, how often, and
//! how to limit the load of many callers. This layer takes them from a [`Policy`].
//!
//! # Results
//!
//! | the session ended | the call returns |
//! |---|---|
//! | with success | `Ok`, the response |
//! | without success, because of a response | `Ok`, the last response, such as a 503 |
//! | without success, because of an error | `Err`, a [`LayerError`] whose `source()` is the last error |
//! | without either: breaker open, attempt timed out | `Err`, a [`LayerError`] |
//!
//! The error is a [`BoxError`], as in all tower middleware that can fail, so that the layer combines
//! with any other; use `downcast_ref::<LayerError>()`. There is one exception to the second line: if an
//! outer session [will retry](crate::policy::Nested), the response becomes an error, because the outer
//! session would take a response for a success.
//!
//! # Readiness
//!
//! Each attempt waits for a clone of the service to be ready. The wait is part of the attempt:
//! `attempt_timeout` covers it, and an error of `poll_ready` is retried like an error of `call`. So the
//! service of this layer is always ready; put limits (`ConcurrencyLimit`, `LoadShed`) above it, not
//! below.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use tower::util::ServiceExt;
use tower::{BoxError, Layer, Service};

use super::error::split_error;
use crate::drive::{AnyValue, Last, OwnFacts, Real, Sleeper};
use crate::fault::{Failure, Fault, extract};
use crate::guard::shared::Guards;
use crate::guard::{Breaker, Budget};
use crate::{Attempt, Policy, retry};

pub use super::LayerError;

/// The source of the facts of a service's errors: the errors ([`OwnFacts`]), or a function.
#[doc(hidden)]
pub trait ErrorFacts<E> {
    /// The facts of this error.
    fn fault(&self, error: &E) -> Fault;
}

impl<E: Failure> ErrorFacts<E> for OwnFacts {
    fn fault(&self, error: &E) -> Fault {
        extract::failure(error)
    }
}

impl<E, F: Fn(&E) -> Fault> ErrorFacts<E> for F {
    fn fault(&self, error: &E) -> Fault {
        self(error)
    }
}

/// The check for rejected responses: none ([`AnyValue`]), HTTP errors ([`Http`]), or a function.
#[doc(hidden)]
pub trait ResponseFacts<T> {
    /// The facts of a rejected response.
    fn fault(&self, response: &T) -> Option<Fault>;
}

impl<T> ResponseFacts<T> for AnyValue {
    fn fault(&self, _: &T) -> Option<Fault> {
        None
    }
}

impl<T, F: Fn(&T) -> Option<Fault>> ResponseFacts<T> for F {
    fn fault(&self, response: &T) -> Option<Fault> {
        self(response)
    }
}

/// Rejects 4xx and 5xx HTTP responses (J6).
#[cfg(feature = "http")]
#[derive(Clone, Copy, Debug)]
#[doc(hidden)]
pub struct Http;

#[cfg(feature = "http")]
impl<B> ResponseFacts<http::Response<B>> for Http {
    fn fault(&self, response: &http::Response<B>) -> Option<Fault> {
        super::response_fault(response.status(), response.headers())
    }
}

/// The preparation of each attempt's request: none ([`Unchanged`]), or a function.
#[doc(hidden)]
pub trait PrepareRequest<Req> {
    /// Prepares a clone of the request for this attempt.
    fn prepare(&self, request: &mut Req, attempt: &Attempt);
}

/// Every attempt sends the same request.
#[derive(Clone, Copy, Debug)]
#[doc(hidden)]
pub struct Unchanged;

impl<Req> PrepareRequest<Req> for Unchanged {
    fn prepare(&self, _: &mut Req, _: &Attempt) {}
}

impl<Req, F: Fn(&mut Req, &Attempt)> PrepareRequest<Req> for F {
    fn prepare(&self, request: &mut Req, attempt: &Attempt) {
        self(request, attempt);
    }
}

/// Retries the calls of a service under a policy.
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
#[derive(Clone)]
#[must_use = "add it to a service"]
pub struct RetryLayer<Facts = OwnFacts, Responses = AnyValue, Prepare = Unchanged, Env = Real> {
    settings: Settings<Facts, Responses, Prepare, Env>,
}

#[derive(Clone)]
struct Settings<Facts, Responses, Prepare, Env> {
    policy: Arc<Policy>,
    guards: Guards,
    facts: Facts,
    responses: Responses,
    prepare: Prepare,
    environment: Env,
}

impl RetryLayer {
    /// A layer with this policy. Errors report their own facts, and every response is accepted.
    pub fn new(policy: impl Into<Arc<Policy>>) -> Self {
        let settings = Settings {
            policy: policy.into(),
            guards: Guards::default(),
            facts: OwnFacts,
            responses: AnyValue,
            prepare: Unchanged,
            environment: Real,
        };
        Self { settings }
    }
}

impl<Facts, Responses, Prepare, Env> RetryLayer<Facts, Responses, Prepare, Env> {
    /// Sets the function that extracts the facts of errors that do not implement [`Failure`].
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
    pub fn facts<E, H: Fn(&E) -> Fault>(self, facts: H) -> RetryLayer<H, Responses, Prepare, Env> {
        let Settings { policy, guards, responses, prepare, environment, .. } = self.settings;
        let settings = Settings { policy, guards, facts, responses, prepare, environment };
        RetryLayer { settings }
    }

    /// Sets the function that finds faults in responses (I3).
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
    ) -> RetryLayer<Facts, H, Prepare, Env> {
        self.with_responses(responses)
    }

    /// Treats 4xx and 5xx responses as faults, by their status and `Retry-After` (J6).
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
    /// assert_eq!(response.status(), 503); // of the second attempt
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "tokio"))]
    /// # fn main() {}
    /// ```
    #[cfg(feature = "http")]
    pub fn http(self) -> RetryLayer<Facts, Http, Prepare, Env> {
        self.with_responses(Http)
    }

    fn with_responses<NewResponses>(
        self,
        responses: NewResponses,
    ) -> RetryLayer<Facts, NewResponses, Prepare, Env> {
        let Settings { policy, guards, facts, prepare, environment, .. } = self.settings;
        let settings = Settings { policy, guards, facts, responses, prepare, environment };
        RetryLayer { settings }
    }

    /// Sets the function that prepares the request of each attempt (I2). A request that sends the
    /// session's key is safe to repeat, even under a policy that is not idempotent (J9):
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
    pub fn prepare<Request, H: Fn(&mut Request, &Attempt)>(
        self,
        prepare: H,
    ) -> RetryLayer<Facts, Responses, H, Env> {
        let Settings { policy, guards, facts, responses, environment, .. } = self.settings;
        let settings = Settings { policy, guards, facts, responses, prepare, environment };
        RetryLayer { settings }
    }

    /// Guards each attempt with a circuit breaker. Services can share it.
    pub fn breaker(mut self, breaker: Arc<Breaker>) -> Self {
        self.settings.guards.breaker = Some(breaker);
        self
    }

    /// Withdraws every retry from a budget. Services can share it.
    pub fn budget(mut self, budget: Arc<Budget>) -> Self {
        self.settings.guards.budget = Some(budget);
        self
    }

    /// Sets another clock, timer and source of randomness.
    pub fn environment<NewEnv: Sleeper>(
        self,
        environment: NewEnv,
    ) -> RetryLayer<Facts, Responses, Prepare, NewEnv> {
        let Settings { policy, guards, facts, responses, prepare, .. } = self.settings;
        let settings = Settings { policy, guards, facts, responses, prepare, environment };
        RetryLayer { settings }
    }
}

impl<Inner, Facts: Clone, Responses: Clone, Prepare: Clone, Env: Clone> Layer<Inner>
    for RetryLayer<Facts, Responses, Prepare, Env>
{
    type Service = Retry<Inner, Facts, Responses, Prepare, Env>;

    fn layer(&self, service: Inner) -> Self::Service {
        Retry { service, settings: Arc::new(self.settings.clone()) }
    }
}

impl<Facts, Responses, Prepare, Env> fmt::Debug for RetryLayer<Facts, Responses, Prepare, Env> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RetryLayer").field("policy", &self.settings.policy).finish_non_exhaustive()
    }
}

/// A service whose calls are retried. Made by [`RetryLayer`].
pub struct Retry<Inner, Facts = OwnFacts, Responses = AnyValue, Prepare = Unchanged, Env = Real> {
    service: Inner,
    settings: Arc<Settings<Facts, Responses, Prepare, Env>>,
}

impl<Inner: Clone, Facts, Responses, Prepare, Env> Clone
    for Retry<Inner, Facts, Responses, Prepare, Env>
{
    fn clone(&self) -> Self {
        Self { service: self.service.clone(), settings: Arc::clone(&self.settings) }
    }
}

impl<Inner: fmt::Debug, Facts, Responses, Prepare, Env> fmt::Debug
    for Retry<Inner, Facts, Responses, Prepare, Env>
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Retry")
            .field("service", &self.service)
            .field("policy", &self.settings.policy)
            .finish_non_exhaustive()
    }
}

impl<Inner, Request, Facts, Responses, Prepare, Env> Service<Request>
    for Retry<Inner, Facts, Responses, Prepare, Env>
where
    Inner: Service<Request, Error: Into<BoxError> + Send, Response: Send, Future: Send>,
    Inner: Clone + Send + 'static,
    Request: Clone + Send + 'static,
    Facts: ErrorFacts<Inner::Error> + Send + Sync + 'static,
    Responses: ResponseFacts<Inner::Response> + Send + Sync + 'static,
    Prepare: PrepareRequest<Request> + Send + Sync + 'static,
    Env: Sleeper<Sleep: Send> + Clone + Send + Sync + 'static,
{
    type Response = Inner::Response;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<Inner::Response, BoxError>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request) -> Self::Future {
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
                .facts(|error: &Inner::Error| settings.facts.fault(error))
                .value_facts(|response: &Inner::Response| settings.responses.fault(response))
                .instrument(settings.guards.in_session())
                .environment(settings.environment.clone());
            let (last, gave_up) = match session.await {
                Ok(response) => return Ok(response),
                Err(error) => split_error(error),
            };
            let last_error = match last {
                Last::Value(response) => return Ok(response),
                Last::Error(error) => Some(error.into()),
                Last::Nothing => None,
            };
            Err(LayerError::new(gave_up, last_error).into())
        })
    }
}
