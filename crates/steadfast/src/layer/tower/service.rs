//! The service of a [`RetryLayer`](super::RetryLayer).

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use tower::util::ServiceExt;
use tower::{BoxError, Service};

use super::super::error::split_error;
use super::super::span::AttemptSpan;
use super::{
    CallFacts, CloneRequest, Cloned, ErrorFacts, LayerError, PrepareRequest, Sending, Settings,
    Unchanged,
};
use crate::drive::{AnyValue, Instrument, Last, OwnFacts, Real, Sleeper};
#[cfg(feature = "http")]
use crate::layer::AttemptHeaders;
use crate::{Attempt, Class, retry};

/// A service whose calls are retried. Made by [`RetryLayer`](super::RetryLayer).
pub struct Retry<
    Inner,
    Facts = OwnFacts,
    Responses = AnyValue,
    Prepare = Unchanged,
    Env = Real,
    Clones = Cloned,
    Instruments = (),
> {
    pub(super) service: Inner,
    pub(super) settings: Arc<Settings<Facts, Responses, Prepare, Env, Clones, Instruments>>,
}

impl<Inner: Clone, Facts, Responses, Prepare, Env, Clones, Instruments> Clone
    for Retry<Inner, Facts, Responses, Prepare, Env, Clones, Instruments>
{
    fn clone(&self) -> Self {
        Self { service: self.service.clone(), settings: Arc::clone(&self.settings) }
    }
}

impl<Inner: fmt::Debug, Facts, Responses, Prepare, Env, Clones, Instruments> fmt::Debug
    for Retry<Inner, Facts, Responses, Prepare, Env, Clones, Instruments>
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Retry")
            .field("service", &self.service)
            .field("policy", self.settings.common.policies.unchanged())
            .finish_non_exhaustive()
    }
}

impl<Inner, Request, Facts, Responses, Prepare, Env, Clones, Instruments> Service<Request>
    for Retry<Inner, Facts, Responses, Prepare, Env, Clones, Instruments>
where
    Inner: Service<Request, Error: Into<BoxError> + Send, Response: Send, Future: Send>,
    Inner: Clone + Send + 'static,
    Request: Send + 'static,
    Facts: ErrorFacts<Inner::Error> + Send + Sync + 'static,
    Responses: CallFacts<Request, Inner::Response> + Send + Sync + 'static,
    Prepare: PrepareRequest<Request> + Send + Sync + 'static,
    Env: Sleeper<Sleep: Send> + Clone + Send + Sync + 'static,
    Clones: CloneRequest<Request> + Send + Sync + 'static,
    Instruments: Instrument + Clone + Send + Sync + 'static,
{
    type Response = Inner::Response;
    type Error = LayerError;
    type Future = Pin<Box<dyn Future<Output = Result<Inner::Response, LayerError>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), LayerError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request) -> Self::Future {
        let service = self.service.clone();
        let settings = Arc::clone(&self.settings);
        Box::pin(async move {
            let settings = &*settings;
            let common = &settings.common;
            let is_last = &AtomicBool::new(false);
            let known = settings.responses.repeatability(&request);
            let mut copies = Copies::new(&settings.clones, request, is_last);
            let policy = match copies.can_repeat() {
                true => common.policies.of(known),
                false => common.policies.once(),
            };
            let mut sent = 0;
            let call = move |attempt: Attempt| {
                let mut request = copies.next();
                let span = match Responses::IS_HTTP {
                    true => AttemptSpan::http(sent),
                    false => AttemptSpan::none(),
                };
                if let Some(request) = &mut request {
                    let sending = settings.sending(&attempt, policy.max_attempts(), sent);
                    span.in_scope(|| settings.prepare.prepare(request, &sending));
                }
                sent = sent.saturating_add(1);
                let service = service.clone();
                span.instrument(async move {
                    let Some(request) = request else {
                        unreachable!("no attempt follows the last copy of a request");
                    };
                    service.oneshot(request).await
                })
            };
            let session = retry(policy, call)
                .environment(settings.environment.clone())
                .named(common.options.name(policy))
                .opaque_facts(|error| settings.facts.fault(error))
                .value_facts(|response| settings.responses.fault(response))
                .judge(|fault| match is_last.load(Ordering::Relaxed) {
                    true => Some(Class::Final),
                    false => common.options.class(fault),
                })
                .instrument(common.options.guards.in_session())
                .instrument(common.options.hooks())
                .instrument(settings.instruments.clone());
            let (last, gave_up) = match session.await {
                Ok(response) => return Ok(response),
                Err(error) => split_error(error),
            };
            let last_error = match last {
                Last::Value(response) => return Ok(response),
                Last::Error(error) => Some(error.into()),
                Last::Nothing => None,
            };
            Err(LayerError::new(gave_up, last_error))
        })
    }
}

impl<Facts, Responses, Prepare, Env: Sleeper, Clones, Instruments>
    Settings<Facts, Responses, Prepare, Env, Clones, Instruments>
{
    /// The attempt, as the preparation of its request sees it.
    #[cfg(feature = "http")]
    fn sending<'a>(&self, attempt: &'a Attempt, max_attempts: u32, sent: u32) -> Sending<'a> {
        let time_left = attempt.deadline().map(|deadline| deadline.since(self.environment.now()));
        let headers = AttemptHeaders::new(attempt.number())
            .max_attempts(max_attempts)
            .resend_count(sent)
            .time_left(time_left);
        Sending { attempt, headers }
    }

    #[cfg(not(feature = "http"))]
    fn sending<'a>(&self, attempt: &'a Attempt, _: u32, _: u32) -> Sending<'a> {
        Sending { attempt }
    }
}

/// A request and the copies of it that attempts send.
///
/// The first copy is made before the first attempt, so that a request that cannot be copied runs under
/// a policy without retries. If a later copy cannot be made, the request itself is sent and `is_last`
/// set.
struct Copies<'s, Request, Clones> {
    clones: &'s Clones,
    first: Option<Request>,
    original: Option<Request>,
    is_last: &'s AtomicBool,
}

impl<'s, Request, Clones: CloneRequest<Request>> Copies<'s, Request, Clones> {
    fn new(clones: &'s Clones, request: Request, is_last: &'s AtomicBool) -> Self {
        match clones.clone_request(&request) {
            Some(copy) => Self { clones, first: Some(copy), original: Some(request), is_last },
            None => Self { clones, first: Some(request), original: None, is_last },
        }
    }

    fn can_repeat(&self) -> bool {
        self.original.is_some()
    }

    fn next(&mut self) -> Option<Request> {
        if let Some(first) = self.first.take() {
            return Some(first);
        }
        let copy = self.original.as_ref().and_then(|request| self.clones.clone_request(request));
        if copy.is_none() {
            self.is_last.store(true, Ordering::Relaxed);
        }
        copy.or_else(|| self.original.take())
    }
}
