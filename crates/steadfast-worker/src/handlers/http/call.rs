//! The payload of an `http` task.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::super::{HandlerError, payload};
use super::request::{IDEMPOTENCY_KEY, Request, parse_method};

/// The payload of an `http` task: a request to make.
///
/// ```
/// use steadfast_worker::handlers::HttpCall;
///
/// let call = HttpCall::parse(r#"{
///     "method": "POST",
///     "url": "https://api.example.com/users",
///     "headers": {"Authorization": "Bearer t0ken"},
///     "body": {"name": "Ada"},
///     "timeout": "10s"
/// }"#)?;
/// assert_eq!(call.method, "POST");
///
/// let error = HttpCall::parse(r#"{"uri": "https://api.example.com/"}"#).unwrap_err();
/// assert_eq!(error.to_string(), "payload.uri: unknown field; did you mean `url`?");
/// # Ok::<(), steadfast_worker::handlers::HandlerError>(())
/// ```
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct HttpCall {
    /// The method; `GET` by default.
    #[serde(default = "get")]
    pub method: String,
    /// The URL, of scheme `http` or `https`.
    pub url: String,
    /// The headers, beside those that the HTTP client sets.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
    /// The body: a string by its value, anything else as JSON; none by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<Box<RawValue>>,
    /// The timeout, including redirects and the whole response; by default the worker's.
    #[serde(
        default,
        with = "steadfast::duration::serde_seconds::option",
        skip_serializing_if = "Option::is_none"
    )]
    pub timeout: Option<Duration>,
}

fn get() -> String {
    "GET".to_owned()
}

impl HttpCall {
    const FIELDS: [&str; 5] = ["method", "url", "headers", "body", "timeout"];

    /// A request without headers and body.
    pub fn new(method: impl Into<String>, url: impl Into<String>) -> Self {
        let (method, url) = (method.into(), url.into());
        Self { method, url, headers: BTreeMap::new(), body: None, timeout: None }
    }

    /// Parses a task's payload from JSON.
    ///
    /// # Errors
    /// The payload is invalid: the error names the field and the problem.
    pub fn parse(json: &str) -> Result<Self, HandlerError> {
        let call: Self = payload::parse(json, &Self::FIELDS)?;
        Request::new(&call, None)?;
        Ok(call)
    }
}

impl HttpCall {
    /// Whether the method is idempotent by definition.
    pub(crate) fn is_idempotent(&self) -> bool {
        parse_method(&self.method).is_ok_and(|method| method.is_idempotent())
    }

    /// Whether its headers have an idempotency key.
    pub(crate) fn has_key(&self) -> bool {
        self.headers.keys().any(|name| name.eq_ignore_ascii_case(IDEMPOTENCY_KEY.as_str()))
    }
}

/// Everything but the method may contain secrets.
impl fmt::Debug for HttpCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpCall")
            .field("method", &self.method)
            .field("headers", &self.headers.keys())
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}
