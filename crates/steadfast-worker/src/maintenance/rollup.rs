//! Rolls up the tasks that ended in each past minute (O1), so that the metrics of a week need not be
//! counted task by task.

use std::sync::Arc;
use std::time::Duration;

use super::run_in_batches;
use crate::state::WorkerState;

/// A minute is rolled up when it is over.
const ROLLUP_INTERVAL: Duration = Duration::from_secs(60);

pub(super) async fn run(state: Arc<WorkerState>) {
    let rollup = || state.store.rollup();
    run_in_batches(&state, ROLLUP_INTERVAL, "roll up finished tasks", rollup).await;
}
