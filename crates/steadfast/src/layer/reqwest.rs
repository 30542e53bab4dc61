//! A middleware for `reqwest` clients that tries requests again.
//!
//! # What the caller gets
//!
//! | the session ended | `send()` returns |
//! |---|---|
//! | with a success | `Ok`, the response, a [`Report`](crate::Report) in its extensions |
//! | without, because of a response | `Ok`, the last response, a [`GaveUp`](crate::GaveUp) in its extensions |
//! | without, because of an error | `Err`, the last error as it was: `is_timeout()` and the like still answer |
//! | without either: breaker open, attempt cut off | `Err`, a [`GivenUp`] in [`Error::Middleware`] |
//!
//! In the last two cases the [`GaveUp`](crate::GaveUp) is in the request's
//! extensions, for the middleware around this one and for callers of
//! `execute_with_extensions`. There is one exception to the second line: if a
//! session around this one [will try again](crate::policy::Nested), the response
//! is left to it as a [`GivenUp`], or it would take it for a success.
//!
//! # What is tried again
//!
//! * Responses that say 4xx or 5xx are judged by their status and `Retry-After`
//!   (J6), errors by how far the request got (J2).
//! * After an **unknown outcome** (a connection lost before the answer, say) a
//!   request is repeated if that is safe (J9): its method is idempotent (GET,
//!   HEAD, OPTIONS, TRACE, PUT, DELETE), or it carries an [idempotency
//!   key](RetryMiddleware::idempotency_key_header), or the policy says that
//!   everything is.
//! * A request whose **body is a stream** cannot be sent twice, so it is tried
//!   once, whatever comes of it. Bodies of bytes, text, JSON and forms can.
//!
//! A response that is not handed out is dropped before the wait. Its connection
//! goes back to the pool if all of the response has arrived, and is thrown away
//! if not (J4).
//!
//! Timeouts of the client and of the request hold for each attempt, as do those
//! of the policy.

use std::sync::Arc;

use async_trait::async_trait;
use http::{Extensions, HeaderName, HeaderValue};
use reqwest::{Request, Response};
use reqwest_middleware::{Error, Middleware, Next, Result};

use super::error::{Left, take_apart};
use super::guards::SharedGuards;
use crate::borrow_slot::Lent;
use crate::guard::{Breaker, Budget};
use crate::{Attempt, Key, Policy, retry};

pub use super::GivenUp;

/// Tries requests under a policy.
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
pub struct RetryMiddleware {
    policies: Policies,
    guards: SharedGuards,
    key_header: Option<HeaderName>,
}

/// The policy, by what can be said of a request.
#[derive(Clone, Debug)]
struct Policies {
    as_written: Arc<Policy>,
    /// For requests that are safe to repeat by themselves.
    repeatable: Arc<Policy>,
    /// For requests that there is no second copy of.
    once: Arc<Policy>,
}

impl RetryMiddleware {
    /// A middleware with this policy.
    pub fn new(policy: impl Into<Arc<Policy>>) -> Self {
        let policies = Policies::new(policy.into());
        Self { policies, guards: SharedGuards::default(), key_header: None }
    }

    /// Sends the session's idempotency key in this header, the same with every attempt. Say so
    /// only if the other side honours it: it makes every request safe to repeat (J9).
    ///
    /// A request that has the header already keeps it, and counts as one with a key.
    #[must_use]
    pub fn idempotency_key_header(mut self, name: HeaderName) -> Self {
        self.key_header = Some(name);
        self
    }

    /// Asks a breaker before each attempt. All clients that share it share its state.
    #[must_use]
    pub fn breaker(mut self, breaker: Arc<Breaker>) -> Self {
        self.guards.breaker = Some(breaker);
        self
    }

    /// Draws every retry from a budget. All clients that share it draw from one.
    #[must_use]
    pub fn budget(mut self, budget: Arc<Budget>) -> Self {
        self.guards.budget = Some(budget);
        self
    }

    /// Whether the request has a key that its sender chose.
    fn has_key(&self, request: &Request) -> bool {
        self.key_header.as_ref().is_some_and(|name| request.headers().contains_key(name))
    }

    /// The header to add to each attempt of this request, if there is one to add.
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
        &self.policies.as_written
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
            // It announces no retry to sessions inside.
            plain: false,
            announces_plainly: false,
            ..Policy::clone(&policy)
        };
        Self { as_written: policy, repeatable, once: Arc::new(once) }
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
        let extensions = &Lent::new(extensions);
        let mut original = Some(request);
        let send = move |attempt: Attempt| {
            let mut request = copy_or_take(&mut original);
            if let (Some(request), Some(name)) = (&mut request, key_header) {
                add_key(request, name, attempt.key());
            }
            let next = next.clone();
            async move {
                let Some(request) = request else {
                    unreachable!("a request that cannot be copied is tried once");
                };
                next.run(request, &mut extensions.borrow()).await
            }
        };
        let session = retry(policy, send)
            .value_facts(|response: &Response| super::answer(response.status(), response.headers()))
            .instrument(self.guards.in_session())
            .with_report();
        let (left, gave_up) = match session.await {
            Ok((mut response, report)) => {
                response.extensions_mut().insert(report);
                return Ok(response);
            }
            Err(error) => take_apart(error),
        };
        if let Left::Answer(mut response) = left {
            response.extensions_mut().insert(gave_up);
            return Ok(response);
        }
        extensions.borrow().insert(gave_up.clone());
        Err(match left {
            Left::Error(error) => error,
            _ => Error::middleware(GivenUp::new(gave_up, None)),
        })
    }
}

/// A copy of the request or, if there can be none, the request itself.
fn copy_or_take(original: &mut Option<Request>) -> Option<Request> {
    original.as_ref().and_then(Request::try_clone).or_else(|| original.take())
}

fn add_key(request: &mut Request, name: &HeaderName, key: &Key) {
    if let Ok(value) = HeaderValue::try_from(key.to_string()) {
        request.headers_mut().insert(name, value);
    }
}
