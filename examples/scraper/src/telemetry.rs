//! The telemetry subsystem: reports to a collector.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use steadfast::observe::{Memory, Recorder};

use crate::error::ScraperError;
use crate::manager::RetryManager;

const LIMIT: Duration = Duration::from_secs(2);

/// Posts to a collector.
pub struct Telemetry {
    manager: Arc<RetryManager>,
    client: reqwest::Client,
    collector: String,
}

impl Telemetry {
    /// Telemetry for the collector at this address.
    pub fn to(collector: &str, manager: Arc<RetryManager>) -> Result<Self, ScraperError> {
        // A build with several TLS crates must select a cryptography provider.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = reqwest::Client::builder().timeout(LIMIT).build()?;
        Ok(Self { manager, client, collector: collector.to_owned() })
    }

    /// Pages that were fetched.
    pub async fn batch(&self, pages: &[&str]) -> Result<u16, ScraperError> {
        let name = "telemetry.batch_processing.default";
        self.post("batch", name, self.manager.record(), json!({"pages": pages})).await
    }

    /// A page that was lost.
    pub async fn error(&self, page: &str, error: &ScraperError) -> Result<u16, ScraperError> {
        let record = self.manager.record().correlation_id(page);
        let body = json!({"page": page, "error": error.to_string()});
        self.post("error", "telemetry.error_handling.default", record, body).await
    }

    /// An alert for an operator.
    pub async fn alert(&self, words: &str) -> Result<u16, ScraperError> {
        let name = "telemetry.alerting.notification";
        self.post("alert", name, self.manager.record(), json!({"words": words})).await
    }

    /// A heartbeat.
    pub async fn heartbeat(&self) -> Result<u16, ScraperError> {
        let name = "telemetry.simple_retries.default";
        self.post("heartbeat", name, self.manager.record(), Value::Null).await
    }

    async fn post(
        &self,
        what: &str,
        name: &str,
        record: Recorder<&Memory>,
        body: Value,
    ) -> Result<u16, ScraperError> {
        let url = format!("{}/{what}", self.collector);
        let post = async || {
            let answer = self.client.post(&url).json(&body).send().await?;
            let status = answer.status();
            if status.is_success() {
                return Ok(status.as_u16());
            }
            Err(ScraperError::answer(status, answer.headers()))
        };
        self.manager.run(&format!("telemetry.{what}"), name, record, post).await
    }
}
