//! A request that makes sense, ready to be sent.

use bytes::Bytes;
use reqwest::Method;
use reqwest::header::{
    CONNECTION, CONTENT_LENGTH, CONTENT_TYPE, EXPECT, HOST, HeaderMap, HeaderName, HeaderValue, TE,
    TRAILER, TRANSFER_ENCODING, UPGRADE,
};
use steadfast::Fault;
use url::Url;

use super::super::HandlerFault;
use super::super::payload::Content;
use super::super::secrets::Secrets;
use super::HttpCall;

/// What the task's key is sent as.
pub(super) const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

const MAX_URL: usize = 8 * 1024;
const MAX_HEADERS: usize = 100;
const MAX_HEADER_BYTES: usize = 64 * 1024;

/// What the client writes. A second opinion about where a request ends, or whom it is for, is how
/// requests are smuggled.
const THE_CLIENTS: [HeaderName; 8] =
    [CONNECTION, CONTENT_LENGTH, EXPECT, HOST, TE, TRAILER, TRANSFER_ENCODING, UPGRADE];

#[derive(Clone)]
pub(super) struct Request {
    pub(super) method: Method,
    pub(super) url: Url,
    pub(super) headers: HeaderMap,
    pub(super) body: Option<Bytes>,
    pub(super) secrets: Secrets,
    /// Whether an earlier request did what was asked, and this one only fetches what came of it.
    pub(super) follows_an_effect: bool,
}

impl Request {
    pub(super) fn new(call: &HttpCall, key: Option<&str>) -> Result<Self, HandlerFault> {
        let url = read_url(&call.url)?;
        let (mut headers, mut secrets) = read_headers(call)?;
        if let Some(key) = key
            && !headers.contains_key(IDEMPOTENCY_KEY)
        {
            headers.insert(IDEMPOTENCY_KEY, key_value(key)?);
        }
        let body = match call.body.as_deref().map(Content::of) {
            None => None,
            Some(Content::Text(text)) => Some(Bytes::from(text)),
            Some(Content::Json(json)) => {
                headers.entry(CONTENT_TYPE).or_insert(HeaderValue::from_static("application/json"));
                Some(Bytes::from(json))
            }
        };
        remember(&mut secrets, &url);
        let method = read_method(&call.method)?;
        Ok(Self { method, url, headers, body, secrets, follows_an_effect: false })
    }

    /// The same request to another place.
    pub(super) fn moved_to(&mut self, url: Url) {
        remember(&mut self.secrets, &url);
        self.url = url;
    }

    /// A failure of this request. Its words name the method and the host: the path and the query
    /// may be secret.
    pub(super) fn failed(&self, fault: Fault, what: &str) -> HandlerFault {
        let fault = if self.follows_an_effect { fault.with_unknown_outcome() } else { fault };
        let what = self.secrets.hidden(what);
        HandlerFault::new(fault, format!("{} {}: {what}", self.method, self.origin()))
    }

    pub(super) fn origin(&self) -> String {
        self.url.origin().ascii_serialization()
    }
}

/// What of a URL is not told.
fn remember(secrets: &mut Secrets, url: &Url) {
    secrets.always(url.password().unwrap_or(url.username()));
    secrets.always(url.path());
    if let Some(query) = url.query() {
        secrets.always(query);
    }
    for (name, value) in url.query_pairs() {
        secrets.named(&name, &value);
    }
}

fn read_method(text: &str) -> Result<Method, HandlerFault> {
    match Method::from_bytes(text.to_ascii_uppercase().as_bytes()) {
        Ok(Method::CONNECT) => {
            Err(HandlerFault::invalid("method", "CONNECT asks for a tunnel, not for an answer"))
        }
        Ok(method) => Ok(method),
        Err(_) => Err(HandlerFault::invalid("method", "is no method; write it like POST")),
    }
}

fn read_url(text: &str) -> Result<Url, HandlerFault> {
    let wrong = |problem: String| HandlerFault::invalid("url", problem);
    if text.len() > MAX_URL {
        let problem = format!("is {} bytes long; at most {MAX_URL} are taken", text.len());
        return Err(wrong(problem));
    }
    let url = Url::parse(text)
        .map_err(|error| wrong(format!("{error}; write it like https://api.example.com/users")))?;
    check_scheme(&url).map_err(wrong)?;
    Ok(url)
}

/// Only `http` and `https` are called, whatever a redirect says.
pub(super) fn check_scheme(url: &Url) -> Result<(), String> {
    match url.scheme() {
        "http" | "https" => Ok(()),
        other => Err(format!("only http and https are called, not {other}")),
    }
}

fn read_headers(call: &HttpCall) -> Result<(HeaderMap, Secrets), HandlerFault> {
    let bytes: usize = call.headers.iter().map(|(name, value)| name.len() + value.len()).sum();
    if call.headers.len() > MAX_HEADERS || bytes > MAX_HEADER_BYTES {
        let problem = format!(
            "{} headers of {bytes} bytes are too many; at most {MAX_HEADERS} of {MAX_HEADER_BYTES} \
             bytes are taken",
            call.headers.len()
        );
        return Err(HandlerFault::invalid("headers", problem));
    }
    let mut headers = HeaderMap::with_capacity(call.headers.len() + 2);
    let mut secrets = Secrets::default();
    for (name, value) in &call.headers {
        let (name, value) = read_header(name, value)
            .map_err(|problem| HandlerFault::invalid(&format!("headers.{name}"), problem))?;
        secrets.named(name.as_str(), &String::from_utf8_lossy(value.as_bytes()));
        headers.append(name, value);
    }
    Ok((headers, secrets))
}

fn read_header(name: &str, value: &str) -> Result<(HeaderName, HeaderValue), &'static str> {
    let name: HeaderName = name.parse().map_err(|_| "is no name of a header")?;
    if THE_CLIENTS.contains(&name) {
        return Err("is written by the client; leave it out");
    }
    let mut value = HeaderValue::from_bytes(value.as_bytes())
        .map_err(|_| "its value has a line break or another control character")?;
    value.set_sensitive(true);
    Ok((name, value))
}

fn key_value(key: &str) -> Result<HeaderValue, HandlerFault> {
    HeaderValue::from_bytes(key.as_bytes()).map_err(|_| {
        let problem = "the task's idempotency key has a control character, so it cannot be sent";
        HandlerFault::invalid("headers", problem)
    })
}
