//! Calls HTTP APIs for tasks of kind `http` (D19).
//!
//! A task's URL is somebody else's choice, so the call is kept on a short leash (K2): public
//! targets unless [`Targets`] says more, judged at the address that is connected to and again at
//! every redirect; a bounded time, a bounded answer, no proxies, `http` and `https` alone.
//!
//! The task's key goes along as `Idempotency-Key`, the same with every attempt, so that a server
//! that honours it does the work once however often it is asked (J9).

mod answer;
mod call;
mod client;
mod failure;
mod limits;
mod redirect;
mod request;
mod resolver;

use std::sync::Arc;

use reqwest::{Client, Response};
use steadfast::{Fault, Kind};
use tokio::time::Instant;

pub use answer::HttpAnswer;
pub use call::HttpCall;
pub use limits::HttpLimits;
use redirect::{MAX_REDIRECTS, Next};
use request::Request;
use resolver::Guarded;
pub use resolver::{Resolver, SystemResolver};

use super::{HandlerFault, Targets};

/// Calls HTTP APIs.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), steadfast_worker::handlers::HandlerFault> {
/// use steadfast_worker::handlers::{Http, HttpCall, Targets};
///
/// let http = Http::new(Targets::default())?;
/// let call = HttpCall::read(r#"{"url": "http://127.0.0.1:5432/"}"#)?;
/// let refused = http.call(call, None).await.unwrap_err();
/// assert!(refused.to_string().contains("--allow-target 127.0.0.1"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Http {
    client: Client,
    targets: Arc<Targets>,
    limits: HttpLimits,
}

impl Http {
    /// Calls these targets, within the default limits.
    ///
    /// # Errors
    /// The system's certificates cannot be used.
    pub fn new(targets: Targets) -> Result<Self, HandlerFault> {
        Self::with(targets, HttpLimits::default(), SystemResolver)
    }

    /// Calls these targets within these limits, as `resolver` finds them.
    ///
    /// # Errors
    /// The system's certificates cannot be used.
    pub fn with(
        targets: Targets,
        limits: HttpLimits,
        resolver: impl Resolver + 'static,
    ) -> Result<Self, HandlerFault> {
        let targets = Arc::new(targets);
        let names = Guarded { targets: targets.clone(), resolver: Arc::new(resolver) };
        let client = client::build(&limits, names)?;
        Ok(Self { client, targets, limits })
    }

    /// Makes a call, with the task's key. An answer of 200 to 299 is a success.
    ///
    /// # Errors
    /// The call is not allowed, got no answer in time, or one that is no success.
    pub async fn call(
        &self,
        call: HttpCall,
        key: Option<&str>,
    ) -> Result<HttpAnswer, HandlerFault> {
        let deadline = Instant::now() + self.limits.time(call.timeout)?;
        let mut request = Request::new(&call, key)?;
        for _ in 0..=MAX_REDIRECTS {
            let answer = self.send(&request, deadline).await?;
            match redirect::next(request, answer.status(), answer.headers())? {
                Next::Request(next) => request = next,
                Next::Answer(request) => return self.read(&request, answer).await,
            }
        }
        let what = format!("sent on more than {MAX_REDIRECTS} times; the last redirect led here");
        Err(request.failed(Fault::of(Kind::Data), &what))
    }

    async fn read(&self, request: &Request, answer: Response) -> Result<HttpAnswer, HandlerFault> {
        if !answer.status().is_success() {
            return Err(failure::unsuccessful(request, answer).await);
        }
        HttpAnswer::read(answer, self.limits.max_answer)
            .await
            .map_err(|error| failure::unanswered(request, &error))
    }

    async fn send(&self, request: &Request, deadline: Instant) -> Result<Response, HandlerFault> {
        self.targets
            .check_url(&request.url)
            .map_err(|refusal| HandlerFault::refused(refusal.to_string()))?;
        let builder = self
            .client
            .request(request.method.clone(), request.url.clone())
            .headers(request.headers.clone())
            .timeout(deadline.saturating_duration_since(Instant::now()));
        let builder = match &request.body {
            Some(body) => builder.body(body.clone()),
            None => builder,
        };
        builder.send().await.map_err(|error| failure::unanswered(request, &error))
    }
}
