//! The dispatch from a command line to its action.

use anyhow::{Result, bail};

use crate::churn::churn;
use crate::drain::drain;
use crate::lateness::lateness;
use crate::submit::{submit_bulk, submit_later, submit_single};
use crate::{Action, Peer, Request};

/// Does what is asked, on a runtime as `#[tokio::main]` makes it.
///
/// Workers are not stopped at the end: a measurement ends with its process.
pub fn run<P: Peer>(request: Request) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(act::<P>(request))?;
    std::process::exit(0);
}

async fn act<P: Peer>(request: Request) -> Result<()> {
    if request.action == Action::Setup {
        return P::setup(&request.database).await;
    }
    let peer = P::open(&request.database, &request.settings).await?;
    match request.action {
        Action::Setup => Ok(()),
        Action::SubmitSingle(tasks) => submit_single(&peer, tasks).await,
        Action::SubmitBulk(tasks, batch) => submit_bulk(&peer, tasks, batch).await,
        Action::SubmitLater(tasks) => submit_later(&peer, tasks).await,
        Action::Drain(tasks) => drain(&peer, tasks).await,
        Action::Lateness(tasks, rate) => lateness(&peer, tasks, rate).await,
        Action::Churn(seconds) => churn(&peer, seconds).await,
    }
}

/// Lets the peer work while something is measured.
pub(crate) async fn while_working<P: Peer>(
    peer: &P,
    measured: impl Future<Output = Result<()>>,
) -> Result<()> {
    tokio::select! {
        worked = peer.work() => {
            worked?;
            bail!("the worker ended by itself");
        }
        measured = measured => measured,
    }
}
