//! Answers, as they are read.

use crate::ApiError;
use jiff::Timestamp;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::client::Remote;
use super::request::Request;
use super::request_error::Failed;

/// What time it is.
#[derive(Debug, Deserialize)]
pub(crate) struct StoreTime {
    pub(crate) now: Timestamp,
}

impl Remote {
    /// Asks, and reads the answer.
    pub(crate) async fn ask<T: DeserializeOwned>(&self, request: Request) -> Result<T, ApiError> {
        let answer = self.send(request).await?;
        serde_json::from_slice(&answer).map_err(|error| Failed::unreadable(self.address(), &error))
    }

    /// Orders something that is answered with nothing but that it was done.
    pub(crate) async fn order(&self, request: Request) -> Result<(), ApiError> {
        self.send(request).await.map(drop)
    }
}
