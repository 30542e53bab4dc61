//! The daemon's configuration.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use steadfast::duration;
use steadfast::policy::{Draft, Policy, PolicyError};
use url::Url;

/// What a daemon is told.
#[derive(Args, Clone, Debug)]
pub struct Config {
    /// Where recordings are: CATEGORY/NAME.json
    #[arg(long)]
    pub runs: PathBuf,
    /// The service to replay them on
    #[arg(long, value_parser = service)]
    pub service: Url,
    /// The store's file; made if it is not there
    #[arg(long, default_value = "replay.db")]
    pub store: PathBuf,
    /// Process only runs of this category; may be said several times
    #[arg(long = "category", value_name = "CATEGORY")]
    pub categories: Vec<String>,
    /// How many at a time
    #[arg(long, default_value_t = 4)]
    pub concurrency: u32,
    /// How often to look for new runs
    #[arg(long, default_value = "1s", value_parser = duration::parse)]
    pub look_every: Duration,
    /// How long after a daemon was killed its runs are taken to be lost
    #[arg(long, default_value = "30s", value_parser = duration::parse)]
    pub lease: Duration,
    /// How a run is tried again.
    #[command(flatten)]
    pub retry: Retry,
    /// End when every run has its end
    #[arg(long)]
    pub until_done: bool,
}

/// How a run is tried again, where it is not as the preset `patient` says: after a minute, doubling
/// to an hour, eight times.
#[derive(Args, Clone, Debug, Default)]
pub struct Retry {
    /// How often a run is tried again [default: 8]
    #[arg(long)]
    pub max_retries: Option<u32>,
    /// How long before the first retry [default: 60s]
    #[arg(long, value_parser = duration::parse)]
    pub base_delay: Option<Duration>,
    /// How long before any retry at most [default: 1h]
    #[arg(long, value_parser = duration::parse)]
    pub max_delay: Option<Duration>,
}

impl Retry {
    /// The policy that every run is submitted under.
    ///
    /// # Errors
    /// It makes no sense.
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
    let url = Url::parse(text).map_err(|error| format!("{error}; write http://HOST:PORT"))?;
    match url.scheme() {
        "http" | "https" => Ok(url),
        other => Err(format!("`{other}` is not spoken here; write http://HOST:PORT")),
    }
}
