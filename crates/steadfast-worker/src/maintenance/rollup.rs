//! Rolls up the tasks that ended in each past minute (O1), so that the metrics of a week need not be
//! counted task by task.

use std::sync::Arc;
use std::time::Duration;

use super::{next_round, pause_between_batches};
use crate::state::WorkerState;

/// A minute is rolled up when it is over.
const ROLLUP_INTERVAL: Duration = Duration::from_secs(60);

pub(super) async fn run(state: Arc<WorkerState>) {
    while next_round(&state, ROLLUP_INTERVAL).await {
        loop {
            let rollup = || state.store.rollup();
            match state.store_retry.call("roll up ended tasks", rollup).await {
                None => return,
                Some(false) => break,
                Some(true) => {}
            }
            if !pause_between_batches(&state).await {
                return;
            }
        }
    }
}
