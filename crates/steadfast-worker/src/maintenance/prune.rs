//! Prunes data past its retention (D14), a bounded batch at a time so that claims do not wait.

use std::sync::Arc;

use steadfast_store::Pruned;
use tracing::debug;

use super::run_in_batches;
use crate::state::WorkerState;

pub(super) async fn run(state: Arc<WorkerState>) {
    let maintenance = &state.config.maintenance;
    let prune = || async {
        let pruned = state.store.prune(&maintenance.retention).await?;
        if pruned.is_nothing() {
            return Ok(false);
        }
        let Pruned { tasks, faults, records, executions, audit, .. } = pruned;
        debug!(target: "steadfast", tasks, faults, records, executions, audit, "pruned old data");
        Ok(true)
    };
    run_in_batches(&state, maintenance.prune_every, "prune", prune).await;
}
