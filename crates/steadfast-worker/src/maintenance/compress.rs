//! Compresses the histories of finished tasks (D14), which are stored for long and seldom read.

use std::sync::Arc;

use tracing::debug;

use super::run_in_batches;
use crate::state::WorkerState;

const BATCH_SIZE: u32 = 100;

pub(super) async fn run(state: Arc<WorkerState>) {
    let maintenance = &state.config.maintenance;
    let compress = || async {
        let tasks = state.store.compress(maintenance.compress_after, BATCH_SIZE).await?;
        if tasks > 0 {
            debug!(target: "steadfast", tasks, "compressed histories");
        }
        Ok(tasks > 0)
    };
    run_in_batches(&state, maintenance.compress_every, "compress histories", compress).await;
}
