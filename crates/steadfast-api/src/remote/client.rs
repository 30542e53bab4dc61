//! The HTTP client of a server, with its retry policy.

use std::fmt;
use std::time::Duration;

use crate::{ApiError, ErrorKind};
use bytes::Bytes;
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use reqwest::{Client, RequestBuilder, StatusCode, redirect};
use serde::de::DeserializeOwned;
use steadfast::policy::Draft;
use steadfast::{Jitter, Policy, retry};

use super::address::Address;
use super::request::Request;
use super::request_error::RequestError;
use super::tls;

const USER_AGENT: &str = concat!("steadfast/", env!("CARGO_PKG_VERSION"));
const JSON: HeaderValue = HeaderValue::from_static("application/json");
/// The timeout of a connection attempt.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// The retry policy of requests: long enough for a server that restarts, short enough for a mistyped
/// address.
const RETRY: Draft = Policy::exponential(Duration::from_millis(150))
    .max_attempts(4)
    .max_delay(Duration::from_secs(2))
    .jitter(Jitter::Full)
    .max_duration(Duration::from_secs(120))
    .max_hint(Duration::from_secs(5))
    .max_rate_limit_waits(3);
const REPEATABLE: Policy = RETRY.constant();
const NOT_REPEATABLE: Policy = RETRY.idempotent(false).constant();

/// The API of a server, over HTTP. Cheap to clone.
#[derive(Clone)]
pub struct Remote {
    client: Client,
    address: Address,
    token: Option<HeaderValue>,
}

impl fmt::Debug for Remote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Remote").field("address", &self.address.to_string()).finish_non_exhaustive()
    }
}

impl Remote {
    /// A client for the server at this address, such as `http://127.0.0.1:7700` or
    /// `https://tasks.example.com`. It does not connect yet.
    ///
    /// # Errors
    /// The address is invalid, or the certificates of the system cannot be read.
    pub fn new(address: &str) -> Result<Self, ApiError> {
        let address = Address::parse(address)?;
        let client = client(&address).map_err(|error| client_error(&*error))?;
        Ok(Self { client, address, token: None })
    }

    /// Sets the access token.
    ///
    /// # Errors
    /// The token is empty or has characters that cannot be sent.
    pub fn with_token(mut self, token: &str) -> Result<Self, ApiError> {
        let mut value =
            HeaderValue::from_str(&format!("Bearer {token}")).map_err(|_| invalid_token())?;
        if token.is_empty() || token.contains(char::is_whitespace) {
            return Err(invalid_token());
        }
        value.set_sensitive(true);
        self.token = Some(value);
        Ok(self)
    }

    /// Checks that the server is ready: its store responds, and it is not shutting down.
    ///
    /// # Errors
    /// Why it is not ready.
    pub async fn ready(&self) -> Result<(), ApiError> {
        self.send(Request::get(self.address.health_url("readyz"))).await.map(drop)
    }

    /// Checks that the server is alive, whatever the state of its store.
    ///
    /// # Errors
    /// Why it is not alive.
    pub async fn alive(&self) -> Result<(), ApiError> {
        self.send(Request::get(self.address.health_url("healthz"))).await.map(drop)
    }

    pub(crate) const fn address(&self) -> &Address {
        &self.address
    }

    /// Sends a request and decodes the response. A command without a result (`()`) ignores the body:
    /// it took effect, whatever a newer server answers.
    pub(crate) async fn fetch<T: DeserializeOwned>(&self, request: Request) -> Result<T, ApiError> {
        let body = self.send(request).await?;
        serde_json::from_slice(if body.is_empty() || size_of::<T>() == 0 { b"null" } else { &body })
            .map_err(|error| RequestError::undecodable(&self.address, &error))
    }

    /// Sends a request, and retries it if that is safe.
    async fn send(&self, request: Request) -> Result<Bytes, ApiError> {
        let policy = if request.repeatable { &REPEATABLE } else { &NOT_REPEATABLE };
        let response = retry(policy, || self.send_once(&request)).await;
        response.map_err(|gave_up| match gave_up.into_error() {
            Ok(failed) => failed.error,
            Err(gave_up) => ApiError::new(ErrorKind::Unreachable, gave_up.to_string()),
        })
    }

    async fn send_once(&self, request: &Request) -> Result<Bytes, RequestError> {
        let no_response = |error| RequestError::no_response(&self.address, &error);
        let builder = self.builder(request).timeout(request.timeout).header(ACCEPT, JSON);
        let response = builder.send().await.map_err(no_response)?;
        // 202: the change is done, but cannot be read back. Its body is a problem.
        if !response.status().is_success() || response.status() == StatusCode::ACCEPTED {
            return Err(
                RequestError::error_response(&self.address, response, request.repeatable).await
            );
        }
        response.bytes().await.map_err(no_response)
    }

    /// The request with the token and the body.
    pub(crate) fn builder(&self, request: &Request) -> RequestBuilder {
        let mut builder = self.client.request(request.method.clone(), request.url.clone());
        if let Some(token) = &self.token {
            builder = builder.header(AUTHORIZATION, token.clone());
        }
        if let Some(body) = &request.body {
            builder = builder.header(CONTENT_TYPE, JSON).body(body.clone());
        }
        builder
    }
}

/// The client does not follow redirects, since the token is for this server, and uses no proxy for
/// this machine.
fn client(address: &Address) -> Result<Client, Box<dyn std::error::Error>> {
    let builder = Client::builder()
        .tls_backend_preconfigured(tls::config()?)
        .redirect(redirect::Policy::none())
        .connect_timeout(CONNECT_TIMEOUT)
        .user_agent(USER_AGENT);
    let builder = if address.is_loopback() { builder.no_proxy() } else { builder };
    Ok(builder.build()?)
}

fn client_error(error: &dyn std::error::Error) -> ApiError {
    ApiError::new(ErrorKind::Other, format!("cannot create an HTTP client: {error}"))
        .next("check that the certificates of the system can be read")
}

fn invalid_token() -> ApiError {
    ApiError::new(ErrorKind::Invalid, "not a valid token")
        .field("token")
        .next("pass it as `steadfast token new` printed it: letters, digits and underscores")
}
