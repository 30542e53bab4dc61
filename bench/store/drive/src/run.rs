//! The dispatch of a command line to its action.

use anyhow::{Result, bail};

use crate::churn::churn;
use crate::drain::drain;
use crate::lateness::lateness;
use crate::submit::{submit_bulk, submit_scheduled, submit_single};
use crate::{Action, Peer, Request};

/// Performs the requested action on a runtime like that of `#[tokio::main]`, and exits.
///
/// Workers are not stopped: they end with the process.
pub fn run<P: Peer>(request: Request) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(perform::<P>(request))?;
    std::process::exit(0);
}

async fn perform<P: Peer>(request: Request) -> Result<()> {
    if request.action == Action::Setup {
        return P::setup(&request.database).await;
    }
    let peer = P::open(&request.database, &request.settings).await?;
    match request.action {
        Action::Setup => Ok(()),
        Action::SubmitSingle(tasks) => submit_single(&peer, tasks).await,
        Action::SubmitBulk(tasks, batch) => submit_bulk(&peer, tasks, batch).await,
        Action::SubmitScheduled(tasks) => submit_scheduled(&peer, tasks).await,
        Action::Drain(tasks) => drain(&peer, tasks).await,
        Action::Lateness(tasks, rate) => lateness(&peer, tasks, rate).await,
        Action::Churn(seconds) => churn(&peer, seconds).await,
    }
}

/// Processes tasks until the measurement is complete.
pub(crate) async fn while_working<P: Peer>(
    peer: &P,
    measured: impl Future<Output = Result<()>>,
) -> Result<()> {
    tokio::select! {
        result = peer.work() => {
            result?;
            bail!("the worker stopped before the measurement was complete");
        }
        measured = measured => measured,
    }
}
