//! The server that is asked, and how it is asked again.

use std::fmt;
use std::time::Duration;

use crate::{ApiError, ErrorKind};
use bytes::Bytes;
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use reqwest::{Client, RequestBuilder, StatusCode, redirect};
use steadfast::policy::Draft;
use steadfast::{Jitter, Policy, retry};

use super::address::Address;
use super::request::Request;
use super::request_error::Failed;
use super::tls;

const USER_AGENT: &str = concat!("steadfast/", env!("CARGO_PKG_VERSION"));
const JSON: HeaderValue = HeaderValue::from_static("application/json");
/// How long a connection may take.
const CONNECT_WITHIN: Duration = Duration::from_secs(5);

/// How a server is asked again: long enough for one that starts anew, not so long that whoever
/// mistyped its address has to wait.
const PATIENCE: Draft = Policy::exponential(Duration::from_millis(150))
    .max_attempts(4)
    .max_delay(Duration::from_secs(2))
    .jitter(Jitter::Full)
    .max_duration(Duration::from_secs(120))
    .max_hint(Duration::from_secs(5))
    .max_rate_limit_waits(3);
const REPEATABLE: Policy = PATIENCE.constant();
const ONCE: Policy = PATIENCE.idempotent(false).constant();

/// A server, asked over HTTP. Cheap to clone.
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
    /// The server at this address: `http://127.0.0.1:7700`, `https://tasks.example.com`. Nothing
    /// is sent yet.
    ///
    /// # Errors
    /// It is no address, or the system's certificates cannot be used.
    pub fn new(address: &str) -> Result<Self, ApiError> {
        let address = Address::parse(address)?;
        let client = client(&address).map_err(|error| unbuilt(&*error))?;
        Ok(Self { client, address, token: None })
    }

    /// The same, and this is who asks.
    ///
    /// # Errors
    /// It is no token: it has characters that cannot be sent.
    pub fn with_token(mut self, token: &str) -> Result<Self, ApiError> {
        let mut value =
            HeaderValue::from_str(&format!("Bearer {token}")).map_err(|_| no_token())?;
        if token.is_empty() || token.contains(char::is_whitespace) {
            return Err(no_token());
        }
        value.set_sensitive(true);
        self.token = Some(value);
        Ok(self)
    }

    /// Whether the server can be of use: it is there, its store answers, and it is not about to
    /// end.
    ///
    /// # Errors
    /// Why not, and what to do.
    pub async fn ready(&self) -> Result<(), ApiError> {
        self.send(Request::get(self.address.of_health("readyz"))).await.map(drop)
    }

    /// Whether the server is there, whatever its store does: what a restart could mend.
    ///
    /// # Errors
    /// Why not, and what to do.
    pub async fn alive(&self) -> Result<(), ApiError> {
        self.send(Request::get(self.address.of_health("healthz"))).await.map(drop)
    }

    pub(crate) const fn address(&self) -> &Address {
        &self.address
    }

    /// Sends a request until there is an answer, as far as it may be repeated.
    pub(crate) async fn send(&self, request: Request) -> Result<Bytes, ApiError> {
        let policy = if request.repeatable { &REPEATABLE } else { &ONCE };
        let sent = retry(policy, || self.once(&request)).await;
        sent.map_err(|gave_up| match gave_up.into_error() {
            Ok(failed) => failed.error,
            Err(gave_up) => ApiError::new(ErrorKind::Unreachable, gave_up.to_string()),
        })
    }

    async fn once(&self, request: &Request) -> Result<Bytes, Failed> {
        let unanswered = |error| Failed::unanswered(&self.address, &error);
        let building = self.building(request).timeout(request.within).header(ACCEPT, JSON);
        let response = building.send().await.map_err(unanswered)?;
        // What is done and cannot be shown is told as what is not done: as a problem.
        if !response.status().is_success() || response.status() == StatusCode::ACCEPTED {
            return Err(Failed::refused(&self.address, response, request.repeatable).await);
        }
        response.bytes().await.map_err(unanswered)
    }
}

impl Remote {
    /// A request of this one, who asks with it.
    pub(crate) fn building(&self, request: &Request) -> RequestBuilder {
        let mut building = self.client.request(request.method.clone(), request.url.clone());
        if let Some(token) = &self.token {
            building = building.header(AUTHORIZATION, token.clone());
        }
        if let Some(body) = &request.body {
            building = building.header(CONTENT_TYPE, JSON).body(body.clone());
        }
        building
    }
}

/// It follows nothing: the token is for this server. On this machine no proxy is needed.
fn client(address: &Address) -> Result<Client, Box<dyn std::error::Error>> {
    let building = Client::builder()
        .tls_backend_preconfigured(tls::config()?)
        .redirect(redirect::Policy::none())
        .connect_timeout(CONNECT_WITHIN)
        .user_agent(USER_AGENT);
    let building = if address.is_loopback() { building.no_proxy() } else { building };
    Ok(building.build()?)
}

fn unbuilt(error: &dyn std::error::Error) -> ApiError {
    ApiError::new(ErrorKind::Other, format!("no HTTP client can be made here: {error}"))
        .next("see that the system's certificates can be read")
}

fn no_token() -> ApiError {
    ApiError::new(ErrorKind::Invalid, "this is no token").field("token").next(
        "give it as `steadfast token new` printed it: one word of letters, digits and underscores",
    )
}
