//! The handler of the kind `http`, which calls HTTP APIs (D19).
//!
//! A task's URL comes from the client, so the call is restricted (K2): public targets unless
//! [`Targets`] allows more, checked at the address that is connected to and at every redirect; a
//! bounded time, a bounded response, no proxies, only `http` and `https`.
//!
//! The task's key, or else its id, is sent as `Idempotency-Key`, the same in every attempt, so that a
//! server that honours it takes effect once. Only a key that the submitter declared makes a POST or
//! PATCH safe to repeat: only the submitter knows that the server honours it (J9). With
//! [`Http::send_attempt_headers`] the request also says which attempt it is, how long it may take, and
//! the trace that the task continues.

mod attempt;
mod call;
mod client;
mod failure;
mod redirect;
mod request;
mod resolver;
mod response;

use std::sync::Arc;
use std::time::Duration;

use reqwest::{Client, Response};
use steadfast::fault::RetrySignals;
use steadfast::{Fault, Kind};
use tokio::time::Instant;
use tracing::Instrument;

pub(crate) use attempt::HttpAttempt;
pub use call::HttpCall;
use redirect::MAX_REDIRECTS;
use request::Request;
use resolver::CheckedResolver;
pub use resolver::{Resolver, SystemResolver};
pub use response::HttpResponse;

use super::{HandlerError, Targets, payload};

/// Calls HTTP APIs.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), steadfast_worker::handlers::HandlerError> {
/// use steadfast_worker::handlers::{Http, HttpCall, Targets};
///
/// let http = Http::new(Targets::default())?;
/// let call = HttpCall::parse(r#"{"url": "http://127.0.0.1:5432/"}"#)?;
/// let rejected = http.call(call, None).await.unwrap_err();
/// assert!(rejected.to_string().contains("--allow-target 127.0.0.1"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Http {
    client: Client,
    targets: Arc<Targets>,
    limits: HttpLimits,
    signals: RetrySignals,
    sends_attempt_headers: bool,
}

/// The limits of an HTTP call.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HttpLimits {
    /// The connect timeout; 10 seconds by default.
    pub connect_timeout: Duration,
    /// The timeout of a call that sets none; 30 seconds by default.
    pub timeout: Duration,
    /// The longest timeout that a call may set; 10 minutes by default.
    pub max_timeout: Duration,
    /// How many bytes of a response body are read; 1 MiB by default.
    pub max_response_bytes: usize,
}

impl Default for HttpLimits {
    fn default() -> Self {
        Self {
            connect_timeout: Duration::from_secs(10),
            timeout: Duration::from_secs(30),
            max_timeout: Duration::from_secs(10 * 60),
            max_response_bytes: 1 << 20,
        }
    }
}

impl Http {
    /// Calls these targets with the default limits.
    ///
    /// # Errors
    /// The HTTP client cannot be created.
    pub fn new(targets: Targets) -> Result<Self, HandlerError> {
        Self::with(targets, HttpLimits::default(), SystemResolver)
    }

    /// Calls these targets with these limits, resolving names with `resolver`.
    ///
    /// # Errors
    /// The HTTP client cannot be created.
    pub fn with(
        targets: Targets,
        limits: HttpLimits,
        resolver: impl Resolver + 'static,
    ) -> Result<Self, HandlerError> {
        let targets = Arc::new(targets);
        let names = CheckedResolver { targets: targets.clone(), resolver: Arc::new(resolver) };
        let client = client::build(&limits, names)?;
        let (signals, sends_attempt_headers) = (RetrySignals::ALL, false);
        Ok(Self { client, targets, limits, signals, sends_attempt_headers })
    }

    /// Sets the retry signals that are honoured, such as `Retry-After`; all by default (J6).
    #[must_use]
    pub fn signals(mut self, signals: RetrySignals) -> Self {
        self.signals = signals;
        self
    }

    /// Sends [`retry-attempt`](steadfast::layer::AttemptHeaders) with each request, and `traceparent` if
    /// the task's correlation id is one. Off by default, because a strict server might refuse unknown
    /// headers. A task's own headers are kept.
    #[must_use]
    pub fn send_attempt_headers(mut self) -> Self {
        self.sends_attempt_headers = true;
        self
    }

    /// Makes a call with the task's key. A response of 200 to 299 is a success.
    ///
    /// # Errors
    /// The call is not allowed, got no response in time, or one that is not a success.
    pub async fn call(
        &self,
        call: HttpCall,
        key: Option<&str>,
    ) -> Result<HttpResponse, HandlerError> {
        self.send_call(call, key, None).await
    }

    /// Makes a call of this attempt, in its span.
    pub(crate) async fn call_attempt(
        &self,
        call: HttpCall,
        key: Option<&str>,
        attempt: HttpAttempt,
    ) -> Result<HttpResponse, HandlerError> {
        let span = attempt.span();
        self.send_call(call, key, Some(attempt)).instrument(span).await
    }

    async fn send_call(
        &self,
        call: HttpCall,
        key: Option<&str>,
        attempt: Option<HttpAttempt>,
    ) -> Result<HttpResponse, HandlerError> {
        let deadline = Instant::now()
            + payload::time_limit(call.timeout, self.limits.timeout, self.limits.max_timeout)?;
        let mut request = Request::new(&call, key)?;
        if let Some(attempt) = attempt.filter(|_| self.sends_attempt_headers) {
            attempt.apply(&mut request.headers, deadline);
        }
        for _ in 0..=MAX_REDIRECTS {
            let response = self.send(&request, deadline).await?;
            if !redirect::follow(&mut request, response.status(), response.headers())? {
                return self.read(&request, response).await;
            }
        }
        let what = format!("more than {MAX_REDIRECTS} redirects; this is the last one");
        Err(request.failed(Fault::of(Kind::Data), &what))
    }

    async fn read(
        &self,
        request: &Request,
        response: Response,
    ) -> Result<HttpResponse, HandlerError> {
        if !response.status().is_success() {
            return Err(failure::status_error(request, response, self.signals).await);
        }
        HttpResponse::read(response, self.limits.max_response_bytes)
            .await
            .map_err(|error| failure::transport_error(request, &error))
    }

    async fn send(&self, request: &Request, deadline: Instant) -> Result<Response, HandlerError> {
        self.targets
            .check_url(&request.url)
            .map_err(|rejection| HandlerError::rejected(rejection.to_string()))?;
        let builder = self
            .client
            .request(request.method.clone(), request.url.clone())
            .headers(request.headers.clone())
            .timeout(deadline.saturating_duration_since(Instant::now()));
        let builder = match &request.body {
            Some(body) => builder.body(body.clone()),
            None => builder,
        };
        builder.send().await.map_err(|error| failure::transport_error(request, &error))
    }
}
