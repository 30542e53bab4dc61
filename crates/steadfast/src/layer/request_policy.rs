//! The policy of one request, by what is known of the request (J9).
//!
//! A policy that does not say whether its operations are idempotent leaves it to the layer, which
//! knows each request.

use std::sync::Arc;

use crate::Policy;

/// What is known of a request whose outcome may be lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    not(feature = "tower"),
    allow(dead_code, unreachable_pub, reason = "the tower layer's traits need it")
)]
pub enum Repeatability {
    /// Nothing.
    Unknown,
    /// It is idempotent by definition.
    Idempotent,
    /// It is not known to be idempotent.
    NotIdempotent,
    /// It carries an idempotency key.
    Keyed,
}

impl Repeatability {
    /// Of an HTTP request, by its method and its `Idempotency-Key`.
    #[cfg(feature = "http")]
    pub(super) fn of_http(method: &::http::Method, headers: &::http::HeaderMap) -> Self {
        if headers.contains_key(IDEMPOTENCY_KEY) {
            return Self::Keyed;
        }
        if method.is_idempotent() { Self::Idempotent } else { Self::NotIdempotent }
    }
}

#[cfg(feature = "http")]
const IDEMPOTENCY_KEY: ::http::HeaderName = ::http::HeaderName::from_static("idempotency-key");

/// A policy, and its variants for requests that are, or are not, safe to repeat or can be sent only once.
#[derive(Clone, Debug)]
pub(super) struct RequestPolicies {
    unchanged: Arc<Policy>,
    repeatable: Arc<Policy>,
    unrepeatable: Arc<Policy>,
    once: Arc<Policy>,
}

impl RequestPolicies {
    pub(super) fn new(policy: Arc<Policy>) -> Self {
        let repeatable = Arc::new(policy.for_operation(true));
        let unrepeatable = match policy.idempotent() {
            None => Arc::new(policy.for_operation(false)),
            Some(_) => Arc::clone(&policy),
        };
        let once = Arc::new(without_retries(&policy));
        Self { unchanged: policy, repeatable, unrepeatable, once }
    }

    pub(super) fn of(&self, request: Repeatability) -> &Policy {
        match request {
            Repeatability::Unknown | Repeatability::Idempotent => &self.unchanged,
            Repeatability::NotIdempotent => &self.unrepeatable,
            Repeatability::Keyed => &self.repeatable,
        }
    }

    /// The policy for a request that cannot be sent twice.
    pub(super) fn once(&self) -> &Policy {
        &self.once
    }

    /// The policy as it was given.
    pub(super) fn unchanged(&self) -> &Policy {
        &self.unchanged
    }
}

fn without_retries(policy: &Policy) -> Policy {
    Policy {
        max_attempts: 1,
        max_rate_limit_waits: Some(0),
        // Inner sessions must not expect a retry.
        plain: false,
        retries_by_default_rules: false,
        ..policy.clone()
    }
}
