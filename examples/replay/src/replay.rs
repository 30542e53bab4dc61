//! Replays one run: the handler of the daemon's tasks.
//!
//! It asks by the worker's own HTTP client, so its errors tell all that there is to tell (a
//! status, a `Retry-After`, how far a request got). What follows from them is for the task's
//! policy to judge, not for this.

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

/// A recorded request, and what was answered.
#[derive(Debug, Deserialize)]
pub struct Recording {
    /// What was asked for, from the service's root.
    pub path: String,
    /// The answer.
    pub answer: Value,
}

/// Why there is no verdict.
#[derive(Debug, Error, Fault)]
pub enum ReplayError {
    /// The recording is not there, or not for us.
    #[error("the recording cannot be read: {0}")]
    File(#[source] io::Error),
    /// The recording makes no sense.
    #[error("the recording is none: {0}")]
    #[fault(kind = "data")]
    Recording(#[source] serde_json::Error),
    /// The service did not answer, or not with success.
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
    /// Of this directory, on the service at this URL.
    ///
    /// # Errors
    /// This machine cannot make requests.
    pub fn new(directory: PathBuf, service: &Url) -> Result<Self, HandlerError> {
        // A service on this machine or in its network is called because somebody named it.
        let named: Option<TargetRule> = service.host_str().and_then(|host| host.parse().ok());
        let http = Http::new(Targets::new(named))?;
        let service = service.as_str().trim_end_matches('/').to_owned();
        Ok(Self { directory, service, http })
    }

    /// Asks what was asked, and compares the answers.
    ///
    /// # Errors
    /// There is nothing to compare.
    pub async fn replay(&self, run: &str, context: &Context) -> Result<Finding, ReplayError> {
        match context.attempt() {
            1 => info!(run, "replaying"),
            attempt => info!(run, attempt, max = context.max_attempts(), "replaying again"),
        }
        let recording = self.read(run).await?;
        let call = HttpCall::new("GET", format!("{}{}", self.service, recording.path));
        let body = self.http.call(call, None).await?.body;
        // What is no JSON is a text, and another answer than the recorded one.
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
