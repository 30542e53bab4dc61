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
//! There is one exception to the second line: if an outer session [will
//! retry](crate::policy::Nested), the response becomes an error, because the outer session would take a
//! response for a success.
//!
//! # Requests
//!
//! Each attempt sends a copy of the request. One that cannot be copied, such as a stream, is sent once:
//! [`clone_request`](RetryLayer::clone_request) says which. A request type that is `Clone` needs nothing.
//!
//! # Readiness
//!
//! Each attempt waits for a clone of the service to be ready. The wait is part of the attempt:
//! `attempt_timeout` covers it, and an error of `poll_ready` is retried like an error of `call`. So the
//! service of this layer is always ready; put limits (`ConcurrencyLimit`, `LoadShed`) above it, not
//! below.

mod facts;
mod requests;
mod service;

use std::fmt;
use std::sync::Arc;

use tower::Layer;

use super::options::SessionOptions;
use super::request_policy::RequestPolicies;
use crate::drive::{AnyValue, Instrument, OwnFacts, Real, SessionEvent, Sleeper};
use crate::fault::Fault;
#[cfg(feature = "http")]
use crate::fault::RetrySignals;
use crate::guard::{Breaker, Budget};
use crate::{Attempt, Class, Policy};

pub use super::LayerError;
pub use service::Retry;

// The parts of a layer's type, which is usually inferred.
#[cfg(feature = "http")]
use facts::Http;
use facts::{CallFacts, ErrorFacts};
use requests::{CloneRequest, Cloned, PrepareRequest, Sending, Unchanged};
#[cfg(feature = "http")]
use requests::{ClonedBody, WithAttemptHeaders, WithKeyHeader};

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
pub struct RetryLayer<
    Facts = OwnFacts,
    Responses = AnyValue,
    Prepare = Unchanged,
    Env = Real,
    Clones = Cloned,
    Instruments = (),
> {
    settings: Settings<Facts, Responses, Prepare, Env, Clones, Instruments>,
}

#[derive(Clone)]
struct Settings<Facts, Responses, Prepare, Env, Clones, Instruments> {
    common: Common,
    facts: Facts,
    responses: Responses,
    prepare: Prepare,
    environment: Env,
    clones: Clones,
    instruments: Instruments,
}

/// The settings that have no type of their own.
#[derive(Clone)]
struct Common {
    policies: RequestPolicies,
    options: SessionOptions,
}

impl RetryLayer {
    /// A layer with this policy. Errors report their own facts, every response is accepted, and every
    /// request is cloned.
    pub fn new(policy: impl Into<Arc<Policy>>) -> Self {
        let common = Common {
            policies: RequestPolicies::new(policy.into()),
            options: SessionOptions::default(),
        };
        let settings = Settings {
            common,
            facts: OwnFacts,
            responses: AnyValue,
            prepare: Unchanged,
            environment: Real,
            clones: Cloned,
            instruments: (),
        };
        Self { settings }
    }
}

impl<Facts, Responses, Prepare, Env, Clones, Instruments>
    RetryLayer<Facts, Responses, Prepare, Env, Clones, Instruments>
{
    /// Sets the function that extracts the facts of errors that do not implement
    /// [`Failure`](crate::Failure).
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
    pub fn facts<E, H: Fn(&E) -> Fault>(
        self,
        facts: H,
    ) -> RetryLayer<H, Responses, Prepare, Env, Clones, Instruments> {
        let Settings { common, responses, prepare, environment, clones, instruments, .. } =
            self.settings;
        let settings =
            Settings { common, facts, responses, prepare, environment, clones, instruments };
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
    ) -> RetryLayer<Facts, H, Prepare, Env, Clones, Instruments> {
        self.with_responses(responses)
    }

    /// Treats 4xx and 5xx responses as faults, by their status and their retry signals such as
    /// `Retry-After` (J6). Under a policy that does not say whether its operations are idempotent, a
    /// request whose outcome is unknown is repeated if its method is idempotent or it carries an
    /// `Idempotency-Key` (J9). With the feature `tracing` each attempt has a span `http_attempt`, whose
    /// `http.request.resend_count` counts the earlier ones.
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
    pub fn http(self) -> RetryLayer<Facts, Http, Prepare, Env, Clones, Instruments> {
        self.http_with(RetrySignals::ALL)
    }

    /// The same, without the retry signals that are turned off.
    #[cfg(feature = "http")]
    pub fn http_with(
        self,
        signals: RetrySignals,
    ) -> RetryLayer<Facts, Http, Prepare, Env, Clones, Instruments> {
        self.with_responses(Http(signals))
    }

    fn with_responses<NewResponses>(
        self,
        responses: NewResponses,
    ) -> RetryLayer<Facts, NewResponses, Prepare, Env, Clones, Instruments> {
        let Settings { common, facts, prepare, environment, clones, instruments, .. } =
            self.settings;
        let settings =
            Settings { common, facts, responses, prepare, environment, clones, instruments };
        RetryLayer { settings }
    }

    /// Sets the function that prepares the request of each attempt (I2), such as with a `traceparent`.
    /// It runs in the attempt's span, if there is one.
    ///
    /// ```
    /// use http::{HeaderValue, Request};
    /// use steadfast::layer::tower::RetryLayer;
    /// use steadfast::{Attempt, Policy};
    ///
    /// # fn current_traceparent() -> String { String::new() }
    /// let policy = Policy::immediate().build()?;
    /// let layer = RetryLayer::new(policy).prepare(|request: &mut Request<String>, _: &Attempt| {
    ///     if let Ok(value) = HeaderValue::try_from(current_traceparent()) {
    ///         request.headers_mut().insert("traceparent", value);
    ///     }
    /// });
    /// # let _ = layer;
    /// # Ok::<(), steadfast::policy::PolicyError>(())
    /// ```
    ///
    /// A function that reads the attempt's [key](Attempt::key) promises to send it: the request then
    /// counts as safe to repeat (J9).
    pub fn prepare<Request, H: Fn(&mut Request, &Attempt)>(
        self,
        prepare: H,
    ) -> RetryLayer<Facts, Responses, H, Env, Clones, Instruments> {
        self.map_prepare(|_| prepare)
    }

    /// Sends [headers that describe the attempt](super::AttemptHeaders) with each HTTP request:
    /// `retry-attempt: attempt=2; max=4; timeout-ms=1500`, or those of gRPC. Off by default, because a
    /// strict server might refuse unknown headers. Call it after [`prepare`](Self::prepare).
    #[cfg(feature = "http")]
    pub fn send_attempt_headers(
        self,
    ) -> RetryLayer<Facts, Responses, WithAttemptHeaders<Prepare>, Env, Clones, Instruments> {
        self.map_prepare(WithAttemptHeaders)
    }

    /// Sends the session's idempotency key in this header, the same with every attempt. Set it only if
    /// the server honours the key: every request then counts as safe to repeat (J9). A request that
    /// already has the header keeps it. Call it after [`prepare`](Self::prepare).
    ///
    /// ```
    /// use http::HeaderName;
    /// use steadfast::Policy;
    /// use steadfast::layer::tower::RetryLayer;
    ///
    /// let policy = Policy::immediate().build()?;
    /// let layer = RetryLayer::new(policy)
    ///     .http()
    ///     .idempotency_key_header(HeaderName::from_static("idempotency-key"));
    /// # let _ = layer;
    /// # Ok::<(), steadfast::policy::PolicyError>(())
    /// ```
    #[cfg(feature = "http")]
    pub fn idempotency_key_header(
        self,
        name: http::HeaderName,
    ) -> RetryLayer<Facts, Responses, WithKeyHeader<Prepare>, Env, Clones, Instruments> {
        self.map_prepare(|then| WithKeyHeader { name, then })
    }

    fn map_prepare<NewPrepare>(
        self,
        map: impl FnOnce(Prepare) -> NewPrepare,
    ) -> RetryLayer<Facts, Responses, NewPrepare, Env, Clones, Instruments> {
        let Settings { common, facts, responses, prepare, environment, clones, instruments } =
            self.settings;
        let prepare = map(prepare);
        let settings =
            Settings { common, facts, responses, prepare, environment, clones, instruments };
        RetryLayer { settings }
    }

    /// Sets the function that copies a request, for requests that are not `Clone`. A request for which
    /// it returns `None` is sent once and not retried.
    ///
    /// ```
    /// use steadfast::Policy;
    /// use steadfast::layer::tower::RetryLayer;
    ///
    /// /// A request that cannot be cloned while it has an upload.
    /// struct Call { path: String, upload: Option<std::fs::File> }
    ///
    /// let policy = Policy::immediate().build()?;
    /// let layer = RetryLayer::new(policy).clone_request(|call: &Call| match call.upload {
    ///     None => Some(Call { path: call.path.clone(), upload: None }),
    ///     Some(_) => None,
    /// });
    /// # let _ = layer;
    /// # Ok::<(), steadfast::policy::PolicyError>(())
    /// ```
    pub fn clone_request<Request, H: Fn(&Request) -> Option<Request>>(
        self,
        clone: H,
    ) -> RetryLayer<Facts, Responses, Prepare, Env, H, Instruments> {
        self.with_clones(clone)
    }

    /// Sets the function that copies the body of an HTTP request, for bodies that are not `Clone`. A
    /// request for whose body it returns `None` is sent once and not retried.
    ///
    /// ```
    /// use steadfast::Policy;
    /// use steadfast::layer::tower::RetryLayer;
    ///
    /// # struct Body(Option<std::fs::File>);
    /// # impl Body { fn empty() -> Self { Self(None) } fn is_empty(&self) -> bool { self.0.is_none() } }
    /// let policy = Policy::immediate().build()?;
    /// let layer = RetryLayer::new(policy)
    ///     .http()
    ///     .clone_body(|body: &Body| body.is_empty().then(Body::empty));
    /// # let _ = layer;
    /// # Ok::<(), steadfast::policy::PolicyError>(())
    /// ```
    #[cfg(feature = "http")]
    pub fn clone_body<Body, H: Fn(&Body) -> Option<Body>>(
        self,
        clone: H,
    ) -> RetryLayer<Facts, Responses, Prepare, Env, ClonedBody<H>, Instruments> {
        self.with_clones(ClonedBody(clone))
    }

    fn with_clones<NewClones>(
        self,
        clones: NewClones,
    ) -> RetryLayer<Facts, Responses, Prepare, Env, NewClones, Instruments> {
        let Settings { common, facts, responses, prepare, environment, instruments, .. } =
            self.settings;
        let settings =
            Settings { common, facts, responses, prepare, environment, clones, instruments };
        RetryLayer { settings }
    }

    /// Sets the operation's name in logs, events and metrics. Defaults to the policy's id.
    pub fn named(mut self, operation: impl Into<Arc<str>>) -> Self {
        self.settings.common.options.name = Some(operation.into());
        self
    }

    /// Calls a function before each retry, with the fault and the delay.
    ///
    /// ```
    /// use steadfast::Policy;
    /// use steadfast::layer::tower::RetryLayer;
    ///
    /// let policy = Policy::immediate().build()?;
    /// let layer = RetryLayer::new(policy).named("search").on_retry(|event| {
    ///     eprintln!("{}: attempt {} failed", event.operation, event.attempt);
    /// });
    /// # let _ = layer;
    /// # Ok::<(), steadfast::policy::PolicyError>(())
    /// ```
    pub fn on_retry(mut self, hook: impl Fn(&SessionEvent<'_>) + Send + Sync + 'static) -> Self {
        self.settings.common.options.retry_hooks.push(Arc::new(hook));
        self
    }

    /// Sets a function that gives a class before any rule applies; `None` applies the rules.
    ///
    /// ```
    /// use steadfast::layer::tower::RetryLayer;
    /// use steadfast::{Class, Policy};
    ///
    /// let policy = Policy::immediate().build()?;
    /// let layer = RetryLayer::new(policy)
    ///     .http()
    ///     .judge(|fault| (fault.http_status == Some(423)).then_some(Class::Retryable));
    /// # let _ = layer;
    /// # Ok::<(), steadfast::policy::PolicyError>(())
    /// ```
    pub fn judge(
        mut self,
        judge: impl Fn(&Fault) -> Option<Class> + Send + Sync + 'static,
    ) -> Self {
        self.settings.common.options.judge = Some(Arc::new(judge));
        self
    }

    /// Adds another guard or observer. Each call gets a clone.
    pub fn instrument<New: Instrument + Clone>(
        self,
        instrument: New,
    ) -> RetryLayer<Facts, Responses, Prepare, Env, Clones, (Instruments, New)> {
        let Settings { common, facts, responses, prepare, environment, clones, instruments } =
            self.settings;
        let instruments = (instruments, instrument);
        let settings =
            Settings { common, facts, responses, prepare, environment, clones, instruments };
        RetryLayer { settings }
    }

    /// Guards each attempt with a circuit breaker. Services can share it.
    pub fn breaker(mut self, breaker: Arc<Breaker>) -> Self {
        self.settings.common.options.guards.breaker = Some(breaker);
        self
    }

    /// Withdraws every retry from a budget. Services can share it.
    pub fn budget(mut self, budget: Arc<Budget>) -> Self {
        self.settings.common.options.guards.budget = Some(budget);
        self
    }

    /// Sets another clock, timer and source of randomness.
    pub fn environment<NewEnv: Sleeper>(
        self,
        environment: NewEnv,
    ) -> RetryLayer<Facts, Responses, Prepare, NewEnv, Clones, Instruments> {
        let Settings { common, facts, responses, prepare, clones, instruments, .. } = self.settings;
        let settings =
            Settings { common, facts, responses, prepare, environment, clones, instruments };
        RetryLayer { settings }
    }
}

impl<Inner, Facts, Responses, Prepare, Env, Clones, Instruments> Layer<Inner>
    for RetryLayer<Facts, Responses, Prepare, Env, Clones, Instruments>
where
    Facts: Clone,
    Responses: Clone,
    Prepare: Clone,
    Env: Clone,
    Clones: Clone,
    Instruments: Clone,
{
    type Service = Retry<Inner, Facts, Responses, Prepare, Env, Clones, Instruments>;

    fn layer(&self, service: Inner) -> Self::Service {
        Retry { service, settings: Arc::new(self.settings.clone()) }
    }
}

impl<Facts, Responses, Prepare, Env, Clones, Instruments> fmt::Debug
    for RetryLayer<Facts, Responses, Prepare, Env, Clones, Instruments>
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Common { policies, options } = &self.settings.common;
        f.debug_struct("RetryLayer")
            .field("policy", policies.unchanged())
            .field("options", options)
            .finish_non_exhaustive()
    }
}
