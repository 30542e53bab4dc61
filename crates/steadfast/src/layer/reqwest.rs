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
//! * 4xx and 5xx responses are classified by their status and `Retry-After` (J6), errors by how far
//!   the request got (J2).
//! * After an **unknown outcome**, such as a connection that broke before the response, a request is
//!   repeated if that is safe (J9): its method is idempotent (GET, HEAD, OPTIONS, TRACE, PUT, DELETE),
//!   or it carries an [idempotency key](RetryMiddleware::idempotency_key_header), or the policy is
//!   idempotent.
//! * A request whose **body is a stream** cannot be sent twice and is never retried. Bodies of bytes,
//!   text, JSON and forms can.
//!
//! A response that is not returned is dropped before the wait. Its connection goes back to the pool
//! if the response is complete, and is closed otherwise (J4).
//!
//! The timeouts of the client and of the request apply to each attempt, as does `attempt_timeout`.

use std::sync::Arc;

use async_trait::async_trait;
use http::{Extensions, HeaderName, HeaderValue};
use reqwest::{Request, Response};
use reqwest_middleware::{Error, Middleware, Next, Result};

use super::error::split_error;
use crate::borrow_slot::BorrowSlot;
use crate::drive::Last;
use crate::guard::shared::Guards;
use crate::guard::{Breaker, Budget};
use crate::{Attempt, Key, Policy, retry};

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
///     .idempotent(false)
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
#[derive(Clone, Debug)]
#[must_use = "add it to a client"]
pub struct RetryMiddleware {
    policies: Policies,
    guards: Guards,
    key_header: Option<HeaderName>,
}

/// The variants of the policy for different requests.
#[derive(Clone, Debug)]
struct Policies {
    unchanged: Arc<Policy>,
    /// For requests that are safe to repeat.
    repeatable: Arc<Policy>,
    /// For requests that cannot be cloned.
    once: Arc<Policy>,
}

impl RetryMiddleware {
    /// A middleware with this policy.
    pub fn new(policy: impl Into<Arc<Policy>>) -> Self {
        let policies = Policies::new(policy.into());
        Self { policies, guards: Guards::default(), key_header: None }
    }

    /// Sends the session's idempotency key in this header, the same with every attempt. Set it only if
    /// the server honours the key: every request then counts as safe to repeat (J9).
    ///
    /// A request that already has the header keeps it, and counts as a request with a key.
    pub fn idempotency_key_header(mut self, name: HeaderName) -> Self {
        self.key_header = Some(name);
        self
    }

    /// Guards each attempt with a circuit breaker. Clients can share it.
    pub fn breaker(mut self, breaker: Arc<Breaker>) -> Self {
        self.guards.breaker = Some(breaker);
        self
    }

    /// Withdraws every retry from a budget. Clients can share it.
    pub fn budget(mut self, budget: Arc<Budget>) -> Self {
        self.guards.budget = Some(budget);
        self
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
            return &self.policies.once;
        }
        if request.method().is_idempotent() || self.has_key(request) {
            return &self.policies.repeatable;
        }
        &self.policies.unchanged
    }
}

impl Policies {
    fn new(policy: Arc<Policy>) -> Self {
        let repeatable = if policy.idempotent {
            Arc::clone(&policy)
        } else {
            Arc::new(Policy { idempotent: true, ..Policy::clone(&policy) })
        };
        let once = Policy {
            max_attempts: 1,
            max_rate_limit_waits: 0,
            // Inner sessions must not expect a retry.
            plain: false,
            retries_by_default_rules: false,
            ..Policy::clone(&policy)
        };
        Self { unchanged: policy, repeatable, once: Arc::new(once) }
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
        let send = move |attempt: Attempt| {
            let mut request = clone_or_take(&mut original);
            if let (Some(request), Some(name)) = (&mut request, key_header) {
                add_key(request, name, attempt.key());
            }
            let next = next.clone();
            async move {
                let Some(request) = request else {
                    unreachable!("a request that cannot be cloned has one attempt");
                };
                next.run(request, &mut extensions.borrow()).await
            }
        };
        let session = retry(policy, send)
            .value_facts(|response: &Response| {
                super::response_fault(response.status(), response.headers())
            })
            .instrument(self.guards.in_session())
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
