//! What the parts of a running worker share.

use std::sync::Arc;

use steadfast_store::{Store, Verdict};
use tokio::sync::{Notify, mpsc};
use tokio_util::sync::CancellationToken;

use crate::kinds::Kinds;
use crate::leases::Leases;
use crate::prefetch::{Prefetch, Waiting};
use crate::reporting::Reports;
use crate::running::Running;
use crate::settings::Settings;
use crate::store_retry::Patience;
use crate::task_result::HandedIn;

#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) store: Store,
    pub(crate) settings: Settings,
    pub(crate) kinds: Kinds,
    pub(crate) prefetch: Prefetch,
    pub(crate) running: Running,
    pub(crate) leases: Arc<Leases>,
    pub(crate) settling: mpsc::Sender<HandedIn>,
    pub(crate) reports: Reports,
    /// Told when tasks may be ready.
    pub(crate) ready: Notify,
    /// Told when a breaker has changed, or somebody wants it to.
    pub(crate) breakers: Notify,
    /// Nothing new is begun.
    pub(crate) stops: CancellationToken,
    /// For what need not be done by a worker that stops.
    pub(crate) patience: Patience,
}

impl Shared {
    /// Hands in what became of a task.
    pub(crate) async fn settle(&self, handed_in: HandedIn) {
        // The settler ends last. If it is gone, so is everything, and the lease will tell.
        let _ = self.settling.send(handed_in).await;
    }

    /// Gives tasks back that were not begun.
    pub(crate) async fn release(&self, tasks: Vec<Waiting>) {
        for task in tasks {
            self.settle(HandedIn::silently(&task.claimed, Verdict::Released)).await;
        }
    }
}
