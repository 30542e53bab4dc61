//! The daemon: one store, one worker, and a look for new runs now and then.

use std::future::Future;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use steadfast::Policy;
use steadfast::policy::PolicyError;
use steadfast_store::{Store, StoreError};
use steadfast_worker::handlers::HandlerFault;
use steadfast_worker::{Context, Maintenance, Retention, Worker};
use thiserror::Error;
use tokio::time::sleep;
use tracing::{info, warn};

use crate::config::Config;
use crate::discover::{self, Discovery, KIND};
use crate::replay::Replayer;
use crate::view;

/// Why a daemon cannot start.
#[derive(Debug, Error)]
pub enum DaemonError {
    /// There is nowhere to look.
    #[error(
        "cannot look for runs in {directory}: {source}; create it, or name another with --runs"
    )]
    Runs {
        /// Where.
        directory: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// Runs cannot be tried again in this way.
    #[error(transparent)]
    Retry(#[from] PolicyError),
    /// The store, or what the worker was told.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// No request can be made.
    #[error(transparent)]
    Http(#[from] HandlerFault),
    /// The view.
    #[error("the view `runs` cannot be made in {store}: {source}")]
    View {
        /// In which file.
        store: PathBuf,
        /// Why not.
        source: sqlx::Error,
    },
}

/// Discovers and processes runs until `stop` resolves, or until all is done if that is wanted.
///
/// # Errors
/// It cannot start. What happens later to a run is the run's; the daemon goes on.
pub async fn run(config: Config, stop: impl Future<Output = ()>) -> Result<(), DaemonError> {
    let policy = Arc::new(config.retry.policy()?);
    warn_of_unknown_categories(&config)?;
    let store = Store::open(&format!("sqlite:{}", config.store.display())).await?;
    let failed = |source| DaemonError::View { store: config.store.clone(), source };
    view::create(&config.store).await.map_err(failed)?;

    let worker = worker(store.clone(), &config)?;
    // Looking goes on beside the worker, and both end together.
    let end = async {
        tokio::select! {
            () = stop => info!("stopping: what runs may finish, the rest is for the next daemon"),
            () = keep_looking(&store, &config, policy) => {}
        }
    };
    Ok(worker.run_until(end).await?)
}

fn worker(store: Store, config: &Config) -> Result<Worker, HandlerFault> {
    let replayer = Arc::new(Replayer::new(config.runs.clone(), &config.service)?);
    let handler = move |run: String, context: Context| {
        let replayer = Arc::clone(&replayer);
        async move { replayer.replay(&run, &context).await }
    };
    // A run that is forgotten while its file is there would be discovered again.
    let maintenance = Maintenance::default()
        .retention(Retention::forever())
        .reclaim_every(config.lease.div_f32(4.0).min(Duration::from_secs(5)));
    let worker = Worker::new(store)
        .name(format!("daemon-{}", std::process::id()))
        .handle(KIND, handler)
        .concurrency(config.concurrency)
        .lease(config.lease)
        .maintenance(maintenance);
    if config.categories.is_empty() {
        return Ok(worker);
    }
    Ok(worker.categories(&config.categories))
}

async fn keep_looking(store: &Store, config: &Config, policy: Arc<Policy>) {
    let mut discovery = Discovery::new(config.runs.clone(), policy);
    loop {
        discovery.look(store).await;
        if config.until_done && is_done(config).await {
            return;
        }
        sleep(config.look_every).await;
    }
}

/// Whether every run that is processed here has its end.
async fn is_done(config: &Config) -> bool {
    let runs = match view::read(&config.store).await {
        Ok(runs) => runs,
        Err(error) => {
            warn!(%error, "cannot see how the runs stand");
            return false;
        }
    };
    let is_ours =
        |run: &view::Run| config.categories.is_empty() || config.categories.contains(&run.category);
    !runs.iter().any(|run| run.is_open() && is_ours(run))
}

/// A category may get its first run tomorrow; but more often its name is mistyped.
fn warn_of_unknown_categories(config: &Config) -> Result<(), DaemonError> {
    let known = discover::categories(&config.runs)
        .map_err(|source| DaemonError::Runs { directory: config.runs.clone(), source })?;
    for category in config.categories.iter().filter(|category| !known.contains(category)) {
        warn!(category, "no run is of this category yet; there are {}", known.join(", "));
    }
    Ok(())
}
