//! A retry middleware for `reqwest` clients.
//!
//! # Results
//!
//! | the session ended | `send()` returns |
//! |---|---|
//! | with success | `Ok`, the response, a [`Report`](crate::Report) in its extensions |
//! | without success, because of a response | `Ok`, the last response, a [`GaveUp`](crate::GaveUp) in its extensions |
//! | without success, because of an error | `Err`, the last error unchanged, so that `is_timeout()` and the like work |
//! | without either: breaker open, attempt timed out | `Err`, a [`LayerError`] in [`Error::Middleware`] |
//!
//! In the last two cases the [`GaveUp`](crate::GaveUp) is in the request's extensions, for outer
//! middleware and for callers of `execute_with_extensions`. There is one exception to the second
//! line: if an outer session [will retry](crate::policy::Nested), the response becomes a [`LayerError`],
//! because the outer session would take a response for a success.
//!
//! # What is retried
//!
//! * 4xx and 5xx responses are classified by their status and their
//!   [retry signals](crate::fault::RetrySignals) such as `Retry-After` (J6), errors by how far the
//!   request got (J2).
//! * After an **unknown outcome**, such as a connection that broke before the response, a request is
//!   repeated if that is safe (J9): it carries an
//!   [idempotency key](RetryMiddleware::idempotency_key_header), or the policy says `idempotent`, or
//!   the policy does not say and the method is idempotent (GET, HEAD, OPTIONS, TRACE, PUT, DELETE).
//!   So a POST without a key is not repeated by default.
//! * A request whose **body is a stream** cannot be sent twice and is never retried. Bodies of bytes,
//!   text, JSON and forms can.
//!
//! A response that is not returned is dropped before the wait. Its connection goes back to the pool
//! if the response is complete, and is closed otherwise (J4).
//!
//! The timeouts of the client and of the request apply to each attempt, as does `attempt_timeout`.
//!
//! # What is sent
//!
//! Nothing beside the request, unless it is turned on: the session's
//! [key](RetryMiddleware::idempotency_key_header), the [attempt and its
//! timeout](RetryMiddleware::send_attempt_headers), and [anything else](RetryMiddleware::prepare), such
//! as a `traceparent`. With the feature `tracing` each attempt has a span `http_attempt`, whose
//! `http.request.resend_count` counts the earlier ones.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use http::{Extensions, HeaderName, HeaderValue};
use reqwest::{Request, Response};
use reqwest_middleware::{Error, Middleware, Next, Result};

use super::AttemptHeaders;
use super::error::split_error;
use super::options::SessionOptions;
use super::request_policy::{Repeatability, RequestPolicies};
use super::span::AttemptSpan;
use crate::borrow_slot::BorrowSlot;
use crate::drive::{Environment, Last, Real, SessionEvent};
use crate::fault::RetrySignals;
use crate::guard::{Breaker, Budget};
use crate::{Attempt, Class, Fault, Key, Policy, retry};

pub use super::LayerError;

/// Retries requests under a policy.
///
/// ```no_run
/// use std::time::Duration;
/// use reqwest_middleware::ClientBuilder;
/// use steadfast::layer::reqwest::RetryMiddleware;
/// use steadfast::{Jitter, Policy, Report};
///
/// const IDEMPOTENCY_KEY: http::HeaderName = http::HeaderName::from_static("idempotency-key");
///
/// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
/// let policy = Policy::exponential(Duration::from_millis(200))
///     .max_attempts(5)
///     .jitter(Jitter::Full)
///     .build()?;
/// let client = ClientBuilder::new(reqwest::Client::new())
///     .with(RetryMiddleware::new(policy).idempotency_key_header(IDEMPOTENCY_KEY))
///     .build();
///
/// let response = client.post("https://api.example/invoices").body("42").send().await?;
/// if let Some(report) = response.extensions().get::<Report>() {
///     println!("it took {} attempts", report.attempts);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
#[must_use = "add it to a client"]
pub struct RetryMiddleware {
    policies: RequestPolicies,
    options: SessionOptions,
    signals: RetrySignals,
    key_header: Option<HeaderName>,
    sends_attempt_headers: bool,
    prepare: Option<Prepare>,
}

type Prepare = Arc<dyn Fn(&mut Request, &Attempt) + Send + Sync>;

impl RetryMiddleware {
    /// A middleware with this policy.
    pub fn new(policy: impl Into<Arc<Policy>>) -> Self {
        Self {
            policies: RequestPolicies::new(policy.into()),
            options: SessionOptions::default(),
            signals: RetrySignals::ALL,
            key_header: None,
            sends_attempt_headers: false,
            prepare: None,
        }
    }

    /// Sends the session's idempotency key in this header, the same with every attempt. Set it only if
    /// the server honours the key: every request then counts as safe to repeat (J9).
    ///
    /// A request that already has the header keeps it, and counts as a request with a key, as does one
    /// with an `Idempotency-Key`.
    pub fn idempotency_key_header(mut self, name: HeaderName) -> Self {
        self.key_header = Some(name);
        self
    }

    /// Sends [headers that describe the attempt](AttemptHeaders): `retry-attempt: attempt=2; max=4;
    /// timeout-ms=1500`. Off by default, because a strict server might refuse unknown headers.
    pub fn send_attempt_headers(mut self) -> Self {
        self.sends_attempt_headers = true;
        self
    }

    /// Sets the function that prepares the request of each attempt (I2). It runs in the attempt's span,
    /// whose trace context it can send:
    ///
    /// ```
    /// use http::HeaderValue;
    /// use steadfast::Policy;
    /// use steadfast::layer::reqwest::RetryMiddleware;
    ///
    /// # fn current_traceparent() -> String { String::new() }
    /// let policy = Policy::immediate().build()?;
    /// let middleware = RetryMiddleware::new(policy).prepare(|request, _| {
    ///     if let Ok(value) = HeaderValue::try_from(current_traceparent()) {
    ///         request.headers_mut().insert("traceparent", value);
    ///     }
    /// });
    /// # let _ = middleware;
    /// # Ok::<(), steadfast::policy::PolicyError>(())
    /// ```
    pub fn prepare(
        mut self,
        prepare: impl Fn(&mut Request, &Attempt) + Send + Sync + 'static,
    ) -> Self {
        self.prepare = Some(Arc::new(prepare));
        self
    }

    /// Sets the retry signals that are honoured; all by default (J6).
    pub fn signals(mut self, signals: RetrySignals) -> Self {
        self.signals = signals;
        self
    }

    /// Sets the operation's name in logs, events and metrics. Defaults to the policy's id.
    pub fn named(mut self, operation: impl Into<Arc<str>>) -> Self {
        self.options.name = Some(operation.into());
        self
    }

    /// Calls a function before each retry, with the fault and the delay.
    pub fn on_retry(mut self, hook: impl Fn(&SessionEvent<'_>) + Send + Sync + 'static) -> Self {
        self.options.retry_hooks.push(Arc::new(hook));
        self
    }

    /// Sets a function that gives a class before any rule applies; `None` applies the rules.
    pub fn judge(
        mut self,
        judge: impl Fn(&Fault) -> Option<Class> + Send + Sync + 'static,
    ) -> Self {
        self.options.judge = Some(Arc::new(judge));
        self
    }

    /// Guards each attempt with a circuit breaker. Clients can share it.
    pub fn breaker(mut self, breaker: Arc<Breaker>) -> Self {
        self.options.guards.breaker = Some(breaker);
        self
    }

    /// Withdraws every retry from a budget. Clients can share it.
    pub fn budget(mut self, budget: Arc<Budget>) -> Self {
        self.options.guards.budget = Some(budget);
        self
    }

    /// Prepares the request of an attempt, which was sent `resend_count` times before.
    fn prepare_attempt(
        &self,
        request: &mut Request,
        key_header: Option<&HeaderName>,
        attempt: &Attempt,
        policy: &Policy,
        resend_count: u32,
    ) {
        if let Some(name) = key_header {
            add_key(request, name, attempt.key());
        }
        if self.sends_attempt_headers {
            let time_left = attempt.deadline().map(|deadline| deadline.since(Real.now()));
            AttemptHeaders::new(attempt.number())
                .max_attempts(policy.max_attempts())
                .resend_count(resend_count)
                .time_left(time_left)
                .apply(request.headers_mut());
        }
        if let Some(prepare) = &self.prepare {
            prepare(request, attempt);
        }
    }

    fn has_key(&self, request: &Request) -> bool {
        self.key_header.as_ref().is_some_and(|name| request.headers().contains_key(name))
    }

    /// The header to add to each attempt of this request, if it is missing.
    fn missing_header(&self, request: &Request) -> Option<&HeaderName> {
        self.key_header.as_ref().filter(|_| !self.has_key(request))
    }

    fn policy(&self, request: &Request) -> &Policy {
        if request.body().is_some_and(|body| body.as_bytes().is_none()) {
            return self.policies.once();
        }
        let known = match self.has_key(request) {
            true => Repeatability::Keyed,
            false => Repeatability::of_http(request.method(), request.headers()),
        };
        self.policies.of(known)
    }
}

impl fmt::Debug for RetryMiddleware {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RetryMiddleware")
            .field("policy", self.policies.unchanged())
            .field("options", &self.options)
            .field("signals", &self.signals)
            .field("key_header", &self.key_header)
            .field("sends_attempt_headers", &self.sends_attempt_headers)
            .finish_non_exhaustive()
    }
}

#[async_trait]
impl Middleware for RetryMiddleware {
    async fn handle(
        &self,
        request: Request,
        extensions: &mut Extensions,
        next: Next<'_>,
    ) -> Result<Response> {
        let policy = self.policy(&request);
        let key_header = self.missing_header(&request);
        let extensions = &BorrowSlot::new(extensions);
        let mut original = Some(request);
        let mut sent = 0;
        let send = move |attempt: Attempt| {
            let mut request = clone_or_take(&mut original);
            let span = AttemptSpan::http(sent);
            if let Some(request) = &mut request {
                span.in_scope(|| self.prepare_attempt(request, key_header, &attempt, policy, sent));
            }
            sent = sent.saturating_add(1);
            let next = next.clone();
            span.instrument(async move {
                let Some(request) = request else {
                    unreachable!("a request that cannot be cloned has one attempt");
                };
                next.run(request, &mut extensions.borrow()).await
            })
        };
        let session = retry(policy, send)
            .named(self.options.name(policy))
            .value_facts(|response: &Response| {
                super::response_fault(self.signals, response.status(), response.headers())
            })
            .judge(|fault| self.options.class(fault))
            .instrument(self.options.guards.in_session())
            .instrument(self.options.hooks())
            .with_report();
        let (last, gave_up) = match session.await {
            Ok((mut response, report)) => {
                response.extensions_mut().insert(report);
                return Ok(response);
            }
            Err(error) => split_error(error),
        };
        if let Last::Value(mut response) = last {
            response.extensions_mut().insert(gave_up);
            return Ok(response);
        }
        extensions.borrow().insert(gave_up.clone());
        Err(match last {
            Last::Error(error) => error,
            _ => Error::middleware(LayerError::new(gave_up, None)),
        })
    }
}

/// A clone of the request or, if it cannot be cloned, the request itself.
fn clone_or_take(original: &mut Option<Request>) -> Option<Request> {
    original.as_ref().and_then(Request::try_clone).or_else(|| original.take())
}

fn add_key(request: &mut Request, name: &HeaderName, key: &Key) {
    if let Ok(value) = HeaderValue::try_from(key.to_string()) {
        request.headers_mut().insert(name, value);
    }
}
