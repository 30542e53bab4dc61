//! Packs the histories of tasks that have ended (D14): they are kept for long and seldom read.

use std::sync::Arc;

use tracing::debug;

use super::{catch_breath, next_round};
use crate::shared::Shared;

/// How many at a time.
const LIMIT: u32 = 100;

pub(super) async fn run(shared: Arc<Shared>) {
    let maintenance = &shared.settings.maintenance;
    while next_round(&shared, maintenance.compress_every).await {
        loop {
            let compress = || shared.store.compress(maintenance.compress_after, LIMIT);
            let Some(tasks) = shared.patience.ask("pack histories", compress).await else {
                return;
            };
            if tasks == 0 {
                break;
            }
            debug!(target: "steadfast", tasks, "packed histories");
            if !catch_breath(&shared).await {
                return;
            }
        }
    }
}
