//! The HTTP client of the OTLP exporters.
//!
//! OpenTelemetry exports from threads without a runtime, and the client needs one. So requests run on the
//! program's runtime.

use std::error::Error;
use std::time::Duration;

use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use tokio::runtime::Handle;

const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);

#[derive(Clone, Debug)]
pub(super) struct Client {
    client: reqwest::Client,
    runtime: Handle,
}

impl Client {
    pub(super) fn new() -> Result<Self, Box<dyn Error>> {
        let runtime = Handle::try_current()?;
        // The program may have installed another provider already.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .no_proxy()
            .timeout(REQUEST_TIMEOUT)
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
            let received = client.execute(request).await?;
            let mut response = Response::builder().status(received.status());
            if let Some(headers) = response.headers_mut() {
                headers.clone_from(received.headers());
            }
            let body = received.bytes().await?;
            Ok::<_, HttpError>(response.body(body)?)
        });
        sent.await?
    }
}
