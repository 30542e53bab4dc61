//! The daemon: one store, one worker, and a periodic discovery of new runs.

use std::error::Error;
use std::fs;
use std::future::Future;
use std::sync::Arc;

use steadfast::Policy;
use steadfast_store::Store;
use steadfast_worker::handlers::HandlerError;
use steadfast_worker::{Context, Maintenance, Retention, Worker};
use tokio::time::sleep;
use tracing::{info, warn};

use crate::config::Config;
use crate::discover::{Discovery, KIND};
use crate::replay::Replayer;
use crate::view;

/// The error of a daemon that cannot start.
pub type Problem = Box<dyn Error + Send + Sync>;

/// Discovers and processes runs until `stop` resolves, or with `--until-done` until all have ended.
///
/// # Errors
/// It cannot start. Errors of single runs do not end the daemon.
pub async fn run(config: Config, stop: impl Future<Output = ()>) -> Result<(), Problem> {
    let policy = Arc::new(config.retry.policy()?);
    let (runs, file) = (config.runs.display(), config.store.display());
    fs::read_dir(&config.runs).map_err(|error| {
        format!("cannot look for runs in {runs}: {error}; create it, or name another with --runs")
    })?;
    let store = Store::open(&format!("sqlite:{file}")).await?;
    let view = view::create(&config.store).await;
    view.map_err(|error| format!("cannot create the view `runs` in {file}: {error}"))?;

    let worker = worker(store.clone(), &config)?;
    // The discovery runs beside the worker, and both end together.
    let end = async {
        tokio::select! {
            () = stop => info!("stopping: what runs may finish, the rest is for the next daemon"),
            () = keep_looking(&store, &config, policy) => {}
        }
    };
    Ok(worker.run_until(end).await?)
}

fn worker(store: Store, config: &Config) -> Result<Worker, HandlerError> {
    let replayer = Arc::new(Replayer::new(config.runs.clone(), &config.service)?);
    let handler = move |run: String, context: Context| {
        let replayer = Arc::clone(&replayer);
        async move { replayer.replay(&run, &context).await }
    };
    let worker = Worker::new(store)
        .name(format!("daemon-{}", std::process::id()))
        .handle(KIND, handler)
        .concurrency(config.concurrency)
        .lease(config.lease)
        // A pruned run whose file still exists would be discovered again.
        .maintenance(Maintenance::default().retention(Retention::forever()));
    if config.categories.is_empty() {
        return Ok(worker);
    }
    Ok(worker.categories(&config.categories))
}

async fn keep_looking(store: &Store, config: &Config, policy: Arc<Policy>) {
    let mut discovery = Discovery::new(config.runs.clone(), policy);
    loop {
        discovery.look(store).await;
        if config.until_done {
            match view::any_open(&config.store, &config.categories).await {
                Ok(true) => {}
                Ok(false) => return,
                Err(error) => warn!(%error, "cannot read the state of the runs"),
            }
        }
        sleep(config.look_every).await;
    }
}
