//! Compresses the histories of ended tasks (D14), which are stored for long and seldom read.

use std::sync::Arc;

use tracing::debug;

use super::{next_round, pause_between_batches};
use crate::state::WorkerState;

const BATCH_SIZE: u32 = 100;

pub(super) async fn run(state: Arc<WorkerState>) {
    let maintenance = &state.config.maintenance;
    while next_round(&state, maintenance.compress_every).await {
        loop {
            let compress = || state.store.compress(maintenance.compress_after, BATCH_SIZE);
            let Some(tasks) = state.store_retry.call("compress histories", compress).await else {
                return;
            };
            if tasks == 0 {
                break;
            }
            debug!(target: "steadfast", tasks, "compressed histories");
            if !pause_between_batches(&state).await {
                return;
            }
        }
    }
}
