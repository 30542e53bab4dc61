//! The handler of the daemon's tasks, which replays one run.
//!
//! It uses the worker's HTTP client, so its errors have all facts: the status, a `Retry-After`, how far
//! a request got. The task's policy decides about retries.

use std::io;
use std::path::PathBuf;

use serde::Deserialize;
use serde_json::Value;
use steadfast::Fault;
use steadfast_worker::Context;
use steadfast_worker::handlers::{HandlerError, Http, HttpCall, TargetRule, Targets};
use thiserror::Error;
use tracing::info;
use url::Url;

use crate::compare::{Finding, compare};

/// A recorded request and its response.
#[derive(Debug, Deserialize)]
pub struct Recording {
    /// The path of the request, from the service's root.
    pub path: String,
    /// The response.
    pub answer: Value,
}

/// The error of a run without a verdict.
#[derive(Debug, Error, Fault)]
pub enum ReplayError {
    /// The recording is missing or not readable.
    #[error("cannot read the recording: {0}")]
    File(#[source] io::Error),
    /// The recording is invalid.
    #[error("invalid recording: {0}")]
    #[fault(kind = "data")]
    Recording(#[source] serde_json::Error),
    /// The service did not respond, or responded with an error.
    #[error(transparent)]
    #[fault(transparent)]
    Service(#[from] HandlerError),
}

/// Replays runs of one directory on one service.
#[derive(Debug)]
pub struct Replayer {
    directory: PathBuf,
    service: String,
    http: Http,
}

impl Replayer {
    /// A replayer of this directory, on the service at this URL.
    ///
    /// # Errors
    /// The HTTP client cannot be created.
    pub fn new(directory: PathBuf, service: &Url) -> Result<Self, HandlerError> {
        // The user selected the service, so it may be on this machine or in its network.
        let named: Option<TargetRule> = service.host_str().and_then(|host| host.parse().ok());
        let http = Http::new(Targets::new(named))?;
        let service = service.as_str().trim_end_matches('/').to_owned();
        Ok(Self { directory, service, http })
    }

    /// Repeats the request, and compares the responses.
    ///
    /// # Errors
    /// There is no response to compare.
    pub async fn replay(&self, run: &str, context: &Context) -> Result<Finding, ReplayError> {
        match context.attempt() {
            1 => info!(run, "replaying"),
            attempt => info!(run, attempt, max = context.max_attempts(), "replaying again"),
        }
        let recording = self.read(run).await?;
        let call = HttpCall::new("GET", format!("{}{}", self.service, recording.path));
        let body = self.http.call(call, None).await?.body;
        // A body that is not JSON is compared as text.
        let answered = serde_json::from_str(&body).unwrap_or(Value::String(body));
        let finding = compare(&recording.answer, &answered);
        info!(run, verdict = ?finding.verdict, "replayed");
        Ok(finding)
    }

    async fn read(&self, run: &str) -> Result<Recording, ReplayError> {
        let path = self.directory.join(format!("{run}.json"));
        let text = tokio::fs::read_to_string(path).await.map_err(ReplayError::File)?;
        serde_json::from_str(&text).map_err(ReplayError::Recording)
    }
}
