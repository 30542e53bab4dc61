//! A validated request, ready to be sent.

use bytes::Bytes;
use reqwest::Method;
use reqwest::header::{
    CONNECTION, CONTENT_LENGTH, CONTENT_TYPE, EXPECT, HOST, HeaderMap, HeaderName, HeaderValue, TE,
    TRAILER, TRANSFER_ENCODING, UPGRADE,
};
use steadfast::Fault;
use url::{ParseError, Url};

use super::super::HandlerError;
use super::super::payload::Content;
use super::super::secrets::Secrets;
use super::HttpCall;

pub(super) const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

const MAX_URL_BYTES: usize = 8 * 1024;
const MAX_HEADERS: usize = 100;
const MAX_HEADER_BYTES: usize = 64 * 1024;

/// The headers that the HTTP client sets. A second value for the end of a request or its host allows
/// request smuggling.
const CLIENT_HEADERS: [HeaderName; 8] =
    [CONNECTION, CONTENT_LENGTH, EXPECT, HOST, TE, TRAILER, TRANSFER_ENCODING, UPGRADE];

#[derive(Clone)]
pub(super) struct Request {
    pub(super) method: Method,
    pub(super) url: Url,
    pub(super) headers: HeaderMap,
    pub(super) body: Option<Bytes>,
    pub(super) secrets: Secrets,
    /// Whether an earlier request has taken effect, and this one only fetches its result.
    pub(super) follows_effect: bool,
}

impl Request {
    pub(super) fn new(call: &HttpCall, key: Option<&str>) -> Result<Self, HandlerError> {
        let url = parse_url(&call.url)?;
        let (mut headers, mut secrets) = parse_headers(call)?;
        if let Some(key) = key
            && !headers.contains_key(IDEMPOTENCY_KEY)
        {
            let value = HeaderValue::from_bytes(key.as_bytes()).map_err(|_| {
                let problem =
                    "the task's idempotency key contains a control character and cannot be sent";
                HandlerError::invalid("headers", problem)
            })?;
            headers.insert(IDEMPOTENCY_KEY, value);
        }
        let body = match call.body.as_deref().map(Content::of) {
            None => None,
            Some(Content::Text(text)) => Some(Bytes::from(text)),
            Some(Content::Json(json)) => {
                headers.entry(CONTENT_TYPE).or_insert(HeaderValue::from_static("application/json"));
                Some(Bytes::from(json))
            }
        };
        add_url_secrets(&mut secrets, &url);
        let method = parse_method(&call.method)?;
        Ok(Self { method, url, headers, body, secrets, follows_effect: false })
    }

    /// The same request to another URL.
    pub(super) fn redirect_to(&mut self, url: Url) {
        add_url_secrets(&mut self.secrets, &url);
        self.url = url;
    }

    /// The error of this request. It names the method and the host: the path and the query may be
    /// secret.
    pub(super) fn failed(&self, fault: Fault, what: &str) -> HandlerError {
        self.error(fault, &format!(": {what}"))
    }

    /// The error of a response, described by its status.
    pub(super) fn returned(&self, fault: Fault, what: &str) -> HandlerError {
        self.error(fault, &format!(" returned {what}"))
    }

    fn error(&self, fault: Fault, what: &str) -> HandlerError {
        let fault = if self.follows_effect { fault.with_unknown_outcome() } else { fault };
        let what = self.secrets.redact(what);
        let origin = self.url.origin().ascii_serialization();
        HandlerError::new(fault, format!("{} {origin}{what}", self.method))
    }
}

fn add_url_secrets(secrets: &mut Secrets, url: &Url) {
    secrets.add(url.password().unwrap_or(url.username()));
    secrets.add(url.path());
    if let Some(query) = url.query() {
        secrets.add(query);
    }
    for (name, value) in url.query_pairs() {
        secrets.add_named(&name, &value);
    }
}

pub(super) fn parse_method(text: &str) -> Result<Method, HandlerError> {
    match Method::from_bytes(text.to_ascii_uppercase().as_bytes()) {
        Ok(Method::CONNECT) => Err(HandlerError::invalid("method", "CONNECT is not supported")),
        Ok(method) => Ok(method),
        Err(_) => {
            Err(HandlerError::invalid("method", "is not a valid HTTP method; use one such as POST"))
        }
    }
}

fn parse_url(text: &str) -> Result<Url, HandlerError> {
    let invalid = |problem: String| HandlerError::invalid("url", problem);
    if text.len() > MAX_URL_BYTES {
        let problem = format!("is {} bytes long; the maximum is {MAX_URL_BYTES}", text.len());
        return Err(invalid(problem));
    }
    let url = Url::parse(text).map_err(|error| {
        let problem = url_problem(error);
        invalid(format!("{problem}; use a URL such as https://api.example.com/users"))
    })?;
    check_scheme(url).map_err(invalid)
}

/// An error of the URL parser in words for users.
fn url_problem(error: ParseError) -> String {
    match error {
        ParseError::RelativeUrlWithoutBase
        | ParseError::RelativeUrlWithCannotBeABaseBase
        | ParseError::SetHostOnCannotBeABaseUrl => "missing http:// or https://".to_owned(),
        ParseError::IdnaError | ParseError::InvalidDomainCharacter => {
            "invalid host name".to_owned()
        }
        ParseError::EmptyHost => "missing host name".to_owned(),
        error => error.to_string(),
    }
}

/// Only `http` and `https` are allowed, also in a redirect.
pub(super) fn check_scheme(url: Url) -> Result<Url, String> {
    match url.scheme() {
        "http" | "https" => Ok(url),
        other => Err(format!("scheme `{other}` is not supported; use http or https")),
    }
}

fn parse_headers(call: &HttpCall) -> Result<(HeaderMap, Secrets), HandlerError> {
    let bytes: usize = call.headers.iter().map(|(name, value)| name.len() + value.len()).sum();
    if call.headers.len() > MAX_HEADERS || bytes > MAX_HEADER_BYTES {
        let problem = format!(
            "{} headers of {bytes} bytes are too many; the maximum is {MAX_HEADERS} headers of \
             {MAX_HEADER_BYTES} bytes",
            call.headers.len()
        );
        return Err(HandlerError::invalid("headers", problem));
    }
    let mut headers = HeaderMap::with_capacity(call.headers.len() + 2);
    let mut secrets = Secrets::default();
    for (name, value) in &call.headers {
        let (name, value) = parse_header(name, value)
            .map_err(|problem| HandlerError::invalid(&format!("headers.{name}"), problem))?;
        secrets.add_named(name.as_str(), &String::from_utf8_lossy(value.as_bytes()));
        headers.append(name, value);
    }
    Ok((headers, secrets))
}

fn parse_header(name: &str, value: &str) -> Result<(HeaderName, HeaderValue), &'static str> {
    let name: HeaderName = name.parse().map_err(|_| "is not a valid header name")?;
    if CLIENT_HEADERS.contains(&name) {
        return Err("is set by the HTTP client; remove it");
    }
    let mut value = HeaderValue::from_bytes(value.as_bytes())
        .map_err(|_| "its value contains a line break or another control character")?;
    value.set_sensitive(true);
    Ok((name, value))
}
