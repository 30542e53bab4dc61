//! The worker beside the server.

use std::time::Duration;

use steadfast_flow::Flow;
use steadfast_store::Store;
use steadfast_worker::Worker;
#[cfg(unix)]
use steadfast_worker::handlers::Commands;
use steadfast_worker::handlers::{Http, Targets};
use tokio_util::sync::CancellationToken;

use crate::error::ServeError;

/// Who does the tasks.
#[derive(Debug)]
pub(crate) enum Work {
    /// A worker with the built-in handlers, closed as they are at first (K2).
    BuiltIn,
    /// This worker.
    Given(Box<Worker>),
    /// Workers elsewhere.
    Others,
}

impl Work {
    pub(crate) fn worker(
        self,
        store: &Store,
        grace: Duration,
    ) -> Result<Option<Worker>, ServeError> {
        match self {
            Self::BuiltIn => built_in(store, grace).map(Some),
            Self::Given(worker) => Ok(Some(*worker)),
            Self::Others => Ok(None),
        }
    }
}

fn built_in(store: &Store, grace: Duration) -> Result<Worker, ServeError> {
    let http = Http::new(Targets::default()).map_err(ServeError::Http)?;
    let worker = Worker::new(store.clone()).grace(grace).http(http);
    // A command that nobody allowed is refused with what to do, which beats not being known.
    #[cfg(unix)]
    let worker = worker.commands(Commands::new(Vec::<String>::new()));
    Ok(worker)
}

/// Works until the server stops, and has executions of workflows go on. A worker that cannot work
/// stops it, and so does one that panics: its tasks would wait for good, and nobody would know why.
pub(crate) async fn until(
    worker: Option<Worker>,
    store: Store,
    flow: Flow,
    stopping: CancellationToken,
) -> Result<(), ServeError> {
    let _stops = stopping.clone().drop_guard();
    let worked = match worker {
        Some(worker) => flow.serve(worker, stopping.cancelled()).await,
        None => {
            // Workers over HTTP end tasks, and cannot make one due or find one that was lost.
            let upkeep = Worker::new(store).maintain_until(stopping.cancelled());
            tokio::join!(upkeep, flow.run_until(stopping.cancelled())).0
        }
    };
    worked.map_err(ServeError::Worker)
}
