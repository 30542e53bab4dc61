//! The sources of facts: a service's requests, responses and errors.

use crate::drive::{AnyValue, OwnFacts};
#[cfg(feature = "http")]
use crate::fault::RetrySignals;
use crate::fault::{Failure, Fault, extract};
use crate::layer::request_policy::Repeatability;

/// The source of the facts of a service's errors: the errors ([`OwnFacts`]), or a function.
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

/// What is known of a request, and the check for rejected responses: nothing ([`AnyValue`]), those of
/// HTTP ([`Http`]), or a function.
pub trait CallFacts<Req, T> {
    /// Whether the calls are those of HTTP, so that each attempt has a span.
    const IS_HTTP: bool = false;

    /// The facts of a rejected response.
    fn fault(&self, response: &T) -> Option<Fault>;

    /// Whether the request is safe to repeat (J9).
    fn repeatability(&self, request: &Req) -> Repeatability {
        let _ = request;
        Repeatability::Unknown
    }
}

impl<Req, T> CallFacts<Req, T> for AnyValue {
    fn fault(&self, _: &T) -> Option<Fault> {
        None
    }
}

impl<Req, T, F: Fn(&T) -> Option<Fault>> CallFacts<Req, T> for F {
    fn fault(&self, response: &T) -> Option<Fault> {
        self(response)
    }
}

/// Rejects 4xx and 5xx HTTP responses (J6), and knows which requests are idempotent.
#[cfg(feature = "http")]
#[derive(Clone, Copy, Debug)]
pub struct Http(pub(super) RetrySignals);

#[cfg(feature = "http")]
impl<A, B> CallFacts<http::Request<A>, http::Response<B>> for Http {
    const IS_HTTP: bool = true;

    fn fault(&self, response: &http::Response<B>) -> Option<Fault> {
        super::super::response_fault(self.0, response.status(), response.headers())
    }

    fn repeatability(&self, request: &http::Request<A>) -> Repeatability {
        Repeatability::of_http(request.method(), request.headers())
    }
}
