//! Decoding of responses.

use crate::ApiError;
use jiff::Timestamp;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::client::Remote;
use super::request::Request;
use super::request_error::RequestError;

/// The store's clock.
#[derive(Debug, Deserialize)]
pub(crate) struct StoreTime {
    pub(crate) now: Timestamp,
}

impl Remote {
    /// Sends a request and decodes the response.
    pub(crate) async fn fetch<T: DeserializeOwned>(&self, request: Request) -> Result<T, ApiError> {
        let body = self.send(request).await?;
        serde_json::from_slice(&body)
            .map_err(|error| RequestError::undecodable(self.address(), &error))
    }

    /// Sends a request whose response has no content.
    pub(crate) async fn command(&self, request: Request) -> Result<(), ApiError> {
        self.send(request).await.map(drop)
    }
}
