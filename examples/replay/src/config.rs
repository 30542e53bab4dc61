//! The daemon's configuration.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use steadfast::duration;
use steadfast::policy::{Draft, Policy, PolicyError};
use url::Url;

/// The configuration of a daemon.
#[derive(Args, Clone, Debug)]
pub struct Config {
    /// Directory of the recordings: CATEGORY/NAME.json
    #[arg(long)]
    pub runs: PathBuf,
    /// Service to replay them on
    #[arg(long, value_parser = service)]
    pub service: Url,
    /// File of the store; created if missing
    #[arg(long, default_value = "replay.db")]
    pub store: PathBuf,
    /// Process only runs of this category; repeatable
    #[arg(long = "category", value_name = "CATEGORY")]
    pub categories: Vec<String>,
    /// Number of concurrent runs
    #[arg(long, default_value_t = 4)]
    pub concurrency: u32,
    /// Interval of the search for new runs
    #[arg(long, default_value = "1s", value_parser = duration::parse)]
    pub look_every: Duration,
    /// Lease of a run: the time after which the runs of a killed daemon are reclaimed
    #[arg(long, default_value = "30s", value_parser = duration::parse)]
    pub lease: Duration,
    /// The retries of a run.
    #[command(flatten)]
    pub retry: Retry,
    /// Exit when every run has ended
    #[arg(long)]
    pub until_done: bool,
}

/// The retries of a run, where they differ from the preset `patient`: after a minute, doubling to an
/// hour, eight times.
#[derive(Args, Clone, Debug, Default)]
pub struct Retry {
    /// Maximum number of retries of a run [default: 8]
    #[arg(long)]
    pub max_retries: Option<u32>,
    /// Delay before the first retry [default: 60s]
    #[arg(long, value_parser = duration::parse)]
    pub base_delay: Option<Duration>,
    /// Maximum delay before a retry [default: 1h]
    #[arg(long, value_parser = duration::parse)]
    pub max_delay: Option<Duration>,
}

impl Retry {
    /// The policy of every run.
    ///
    /// # Errors
    /// The policy is invalid.
    pub fn policy(&self) -> Result<Policy, PolicyError> {
        let mut draft = Draft::preset("patient").unwrap_or_default().id("replay");
        if let Some(retries) = self.max_retries {
            draft = draft.max_retries(retries);
        }
        if let Some(delay) = self.base_delay {
            draft = draft.base_delay(delay);
        }
        if let Some(delay) = self.max_delay {
            draft = draft.max_delay(delay);
        }
        draft.build()
    }
}

fn service(text: &str) -> Result<Url, String> {
    let url = Url::parse(text).map_err(|error| format!("{error}; use http://HOST:PORT"))?;
    match url.scheme() {
        "http" | "https" => Ok(url),
        other => Err(format!("`{other}` is not supported; use http://HOST:PORT")),
    }
}
