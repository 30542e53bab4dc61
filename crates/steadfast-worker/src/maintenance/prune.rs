//! Prunes data past its retention (D14), a bounded batch at a time so that claims do not wait.

use std::sync::Arc;

use steadfast_store::Pruned;
use tracing::debug;

use super::{next_round, pause_between_batches};
use crate::state::WorkerState;

pub(super) async fn run(state: Arc<WorkerState>) {
    let maintenance = &state.config.maintenance;
    while next_round(&state, maintenance.prune_every).await {
        loop {
            let prune = || state.store.prune(&maintenance.retention);
            let Some(pruned) = state.store_retry.call("prune", prune).await else {
                return;
            };
            if pruned.is_nothing() {
                break;
            }
            let Pruned { tasks, faults, records, executions, audit, .. } = pruned;
            debug!(target: "steadfast", tasks, faults, records, executions, audit, "pruned old data");
            if !pause_between_batches(&state).await {
                return;
            }
        }
    }
}
