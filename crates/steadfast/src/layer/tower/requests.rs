//! The requests of attempts: how they are cloned and what is added to each.

use crate::Attempt;
#[cfg(feature = "http")]
use crate::layer::AttemptHeaders;

/// The copies of a request: always ([`Cloned`]), or by a function that may refuse.
pub trait CloneRequest<Req> {
    /// A copy, or nothing if the request can be sent only once.
    fn clone_request(&self, request: &Req) -> Option<Req>;
}

/// Every request is cloned.
#[derive(Clone, Copy, Debug)]
pub struct Cloned;

impl<Req: Clone> CloneRequest<Req> for Cloned {
    fn clone_request(&self, request: &Req) -> Option<Req> {
        Some(request.clone())
    }
}

impl<Req, F: Fn(&Req) -> Option<Req>> CloneRequest<Req> for F {
    fn clone_request(&self, request: &Req) -> Option<Req> {
        self(request)
    }
}

/// Clones an HTTP request with a copy of its body.
#[cfg(feature = "http")]
#[derive(Clone, Copy, Debug)]
pub struct ClonedBody<F>(pub(super) F);

#[cfg(feature = "http")]
impl<B, F: Fn(&B) -> Option<B>> CloneRequest<http::Request<B>> for ClonedBody<F> {
    fn clone_request(&self, request: &http::Request<B>) -> Option<http::Request<B>> {
        let mut copy = http::Request::new((self.0)(request.body())?);
        *copy.method_mut() = request.method().clone();
        *copy.uri_mut() = request.uri().clone();
        *copy.version_mut() = request.version();
        *copy.headers_mut() = request.headers().clone();
        *copy.extensions_mut() = request.extensions().clone();
        Some(copy)
    }
}

/// An attempt, as the preparation of its request sees it.
#[derive(Debug)]
pub struct Sending<'a> {
    pub(super) attempt: &'a Attempt,
    #[cfg(feature = "http")]
    pub(super) headers: AttemptHeaders,
}

/// The preparation of each attempt's request: none ([`Unchanged`]), a function, or headers.
pub trait PrepareRequest<Req> {
    /// Prepares a copy of the request for this attempt.
    fn prepare(&self, request: &mut Req, sending: &Sending<'_>);
}

/// Every attempt sends the same request.
#[derive(Clone, Copy, Debug)]
pub struct Unchanged;

impl<Req> PrepareRequest<Req> for Unchanged {
    fn prepare(&self, _: &mut Req, _: &Sending<'_>) {}
}

impl<Req, F: Fn(&mut Req, &Attempt)> PrepareRequest<Req> for F {
    fn prepare(&self, request: &mut Req, sending: &Sending<'_>) {
        self(request, sending.attempt);
    }
}

/// Adds the headers that describe the attempt.
#[cfg(feature = "http")]
#[derive(Clone, Debug)]
pub struct WithAttemptHeaders<P>(pub(super) P);

#[cfg(feature = "http")]
impl<B, P: PrepareRequest<http::Request<B>>> PrepareRequest<http::Request<B>>
    for WithAttemptHeaders<P>
{
    fn prepare(&self, request: &mut http::Request<B>, sending: &Sending<'_>) {
        sending.headers.apply(request.headers_mut());
        self.0.prepare(request, sending);
    }
}

/// Adds the session's idempotency key.
#[cfg(feature = "http")]
#[derive(Clone, Debug)]
pub struct WithKeyHeader<P> {
    pub(super) name: http::HeaderName,
    pub(super) then: P,
}

#[cfg(feature = "http")]
impl<B, P: PrepareRequest<http::Request<B>>> PrepareRequest<http::Request<B>> for WithKeyHeader<P> {
    fn prepare(&self, request: &mut http::Request<B>, sending: &Sending<'_>) {
        // Read even if the request has its own key: with either, a repeat is safe (J9).
        let key = sending.attempt.key();
        if let Ok(value) = http::HeaderValue::try_from(key.to_string()) {
            request.headers_mut().entry(&self.name).or_insert(value);
        }
        self.then.prepare(request, sending);
    }
}
