//! The HTTP client that talks to the collector.
//!
//! OpenTelemetry sends from threads that belong to no runtime, and the client needs one. So a
//! request is handed to the program's runtime, and its answer waited for.

use std::error::Error;
use std::time::Duration;

use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use tokio::runtime::Handle;

/// However long the collector's answer takes, nobody waits longer.
const LONGEST: Duration = Duration::from_secs(30);

#[derive(Clone, Debug)]
pub(super) struct Client {
    client: reqwest::Client,
    runtime: Handle,
}

impl Client {
    /// A client on the runtime that this is called on.
    pub(super) fn new() -> Result<Self, Box<dyn Error>> {
        let runtime = Handle::try_current()?;
        // If the program has chosen whose cryptography it uses, that is fine, too.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .no_proxy()
            .timeout(LONGEST)
            .build()?;
        Ok(Self { client, runtime })
    }
}

#[async_trait::async_trait]
impl HttpClient for Client {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let request = reqwest::Request::try_from(request)?;
        let client = self.client.clone();
        let sent = self.runtime.spawn(async move {
            let answer = client.execute(request).await?;
            let mut response = Response::builder().status(answer.status());
            if let Some(headers) = response.headers_mut() {
                headers.clone_from(answer.headers());
            }
            let body = answer.bytes().await?;
            Ok::<_, HttpError>(response.body(body)?)
        });
        sent.await?
    }
}
