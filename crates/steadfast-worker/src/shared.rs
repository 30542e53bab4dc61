//! What the parts of a running worker share.

use std::sync::Arc;

use steadfast_store::{Settlement, Store, Verdict};
use tokio::sync::{Notify, mpsc};
use tokio_util::sync::CancellationToken;

use crate::kinds::Kinds;
use crate::leases::Leases;
use crate::patience::Patience;
use crate::prefetch::{Prefetch, Waiting};
use crate::running::Running;
use crate::settings::Settings;

#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) store: Store,
    pub(crate) settings: Settings,
    pub(crate) kinds: Kinds,
    pub(crate) prefetch: Prefetch,
    pub(crate) running: Running,
    pub(crate) leases: Arc<Leases>,
    pub(crate) settling: mpsc::Sender<Settlement>,
    /// Told when tasks may be ready.
    pub(crate) ready: Notify,
    /// Nothing new is begun.
    pub(crate) stops: CancellationToken,
    /// For what need not be done by a worker that stops.
    pub(crate) patience: Patience,
}

impl Shared {
    /// Hands in what became of a task.
    pub(crate) async fn settle(&self, settlement: Settlement) {
        // The settler ends last. If it is gone, so is everything, and the lease will tell.
        let _ = self.settling.send(settlement).await;
    }

    /// Gives tasks back that were not begun.
    pub(crate) async fn release(&self, tasks: Vec<Waiting>) {
        for task in tasks {
            let (id, version) = (task.claimed.id, task.claimed.version);
            self.settle(Settlement { id, version, verdict: Verdict::Released }).await;
        }
    }
}
