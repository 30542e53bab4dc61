//! What a task of kind `http` asks for.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::super::{HandlerFault, payload};
use super::request::Request;

/// A request to make, as a task's payload spells it.
///
/// ```
/// use steadfast_worker::handlers::HttpCall;
///
/// let call = HttpCall::read(r#"{
///     "method": "POST",
///     "url": "https://api.example.com/users",
///     "headers": {"Authorization": "Bearer t0ken"},
///     "body": {"name": "Ada"},
///     "timeout": "10s"
/// }"#)?;
/// assert_eq!(call.method, "POST");
///
/// let error = HttpCall::read(r#"{"uri": "https://api.example.com/"}"#).unwrap_err();
/// assert_eq!(error.to_string(), "payload.uri: there is no such field; did you mean `url`?");
/// # Ok::<(), steadfast_worker::handlers::HandlerFault>(())
/// ```
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct HttpCall {
    /// The method, `GET` without it.
    #[serde(default = "get")]
    pub method: String,
    /// The URL, of scheme `http` or `https`.
    pub url: String,
    /// The headers, beside those that the client writes.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
    /// The body: a text as it is, anything else as JSON. Without it, none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<Box<RawValue>>,
    /// How long it may take, redirects and the whole answer included; the worker's default
    /// without it.
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

    /// Reads a task's payload, a text of JSON.
    ///
    /// # Errors
    /// It makes no sense: the fault names the field and what is wrong with it.
    pub fn read(json: &str) -> Result<Self, HandlerFault> {
        let call: Self = payload::read(json, &Self::FIELDS)?;
        Request::new(&call, None)?;
        Ok(call)
    }
}

/// Anything but the method may hold secrets.
impl fmt::Debug for HttpCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpCall")
            .field("method", &self.method)
            .field("headers", &self.headers.keys())
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}
