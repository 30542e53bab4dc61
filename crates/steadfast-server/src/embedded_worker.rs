//! The worker embedded in the server.

use std::time::Duration;

use steadfast_flow::Flow;
use steadfast_store::Store;
use steadfast_worker::Worker;
#[cfg(unix)]
use steadfast_worker::handlers::Commands;
use steadfast_worker::handlers::{Http, Targets};
use tokio_util::sync::CancellationToken;

use crate::error::ServeError;

#[derive(Debug)]
pub(crate) enum EmbeddedWorker {
    /// A worker with the built-in handlers in their default, restricted configuration (K2).
    BuiltIn,
    Custom(Box<Worker>),
    /// No worker: tasks are claimed by other processes.
    Disabled,
}

impl EmbeddedWorker {
    pub(crate) fn build(
        self,
        store: &Store,
        grace: Duration,
    ) -> Result<Option<Worker>, ServeError> {
        match self {
            Self::BuiltIn => built_in(store, grace).map(Some),
            Self::Custom(worker) => Ok(Some(*worker)),
            Self::Disabled => Ok(None),
        }
    }
}

fn built_in(store: &Store, grace: Duration) -> Result<Worker, ServeError> {
    let http = Http::new(Targets::default()).map_err(ServeError::Http)?;
    let worker = Worker::new(store.clone()).grace(grace).http(http);
    // A command that is not allowed fails with advice, which is better than an unknown kind.
    #[cfg(unix)]
    let worker = worker.commands(Commands::new(Vec::<String>::new()));
    Ok(worker)
}

/// Runs the worker and advances workflow executions until the server stops. A worker that fails or
/// panics stops the server: otherwise its tasks would wait forever without a visible cause.
pub(crate) async fn run_until(
    worker: Option<Worker>,
    store: Store,
    flow: Flow,
    stopping: CancellationToken,
) -> Result<(), ServeError> {
    let _stop = stopping.clone().drop_guard();
    let result = match worker {
        Some(worker) => flow.serve(worker, stopping.cancelled()).await,
        None => {
            // Workers over HTTP settle tasks, but do not promote them or reclaim expired leases.
            let maintenance = Worker::new(store).maintain_until(stopping.cancelled());
            tokio::join!(maintenance, flow.run_until(stopping.cancelled())).0
        }
    };
    result.map_err(ServeError::Worker)
}
