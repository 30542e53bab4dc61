//! The telemetry subsystem: tells a collector what the scraper does.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use crate::manager::{Job, RetryManager};
use crate::trouble::Trouble;

const LIMIT: Duration = Duration::from_secs(2);

/// Posts to a collector.
pub struct Telemetry {
    manager: Arc<RetryManager>,
    client: reqwest::Client,
    collector: String,
}

impl Telemetry {
    /// To the collector at this address.
    pub fn to(collector: &str, manager: Arc<RetryManager>) -> Result<Self, Trouble> {
        // Whoever builds this together with crates that speak TLS has to say whose cryptography.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = reqwest::Client::builder().timeout(LIMIT).build()?;
        Ok(Self { manager, client, collector: collector.to_owned() })
    }

    /// Pages that were fetched.
    pub async fn batch(&self, pages: &[&str]) -> Result<u16, Trouble> {
        let job = Job::new("telemetry.batch", "telemetry.batch_processing.default");
        self.post(job, "batch", json!({"pages": pages})).await
    }

    /// A page that was lost.
    pub async fn error(&self, page: &str, trouble: &Trouble) -> Result<u16, Trouble> {
        let job = Job::new("telemetry.error", "telemetry.error_handling.default").page(page);
        self.post(job, "error", json!({"page": page, "error": trouble.to_string()})).await
    }

    /// Something that a person should look at.
    pub async fn alert(&self, words: &str) -> Result<u16, Trouble> {
        let job = Job::new("telemetry.alert", "telemetry.alerting.notification");
        self.post(job, "alert", json!({"words": words})).await
    }

    /// A sign of life.
    pub async fn heartbeat(&self) -> Result<u16, Trouble> {
        let job = Job::new("telemetry.heartbeat", "telemetry.simple_retries.default");
        self.post(job, "heartbeat", Value::Null).await
    }

    async fn post(&self, job: Job, to: &str, body: Value) -> Result<u16, Trouble> {
        let url = format!("{}/{to}", self.collector);
        let post = || async {
            let answer = self.client.post(&url).json(&body).send().await?;
            let status = answer.status().as_u16();
            let wish = answer.headers().get("retry-after").and_then(|wish| wish.to_str().ok());
            if status >= 400 { Err(Trouble::status(status, wish)) } else { Ok(status) }
        };
        self.manager.run(job, post).await
    }
}
