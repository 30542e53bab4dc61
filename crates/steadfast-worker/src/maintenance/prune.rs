//! Forgets what is past its retention (D14), a bounded piece at a time, so that no claim waits.

use std::sync::Arc;

use steadfast_store::Pruned;
use tracing::debug;

use super::{catch_breath, next_round};
use crate::shared::Shared;

pub(super) async fn run(shared: Arc<Shared>) {
    let maintenance = &shared.settings.maintenance;
    while next_round(&shared, maintenance.prune_every).await {
        loop {
            let prune = || shared.store.prune(&maintenance.retention);
            let Some(pruned) = shared.patience.ask("prune", prune).await else {
                return;
            };
            if pruned.is_nothing() {
                break;
            }
            let Pruned { tasks, faults, records, executions, audit, .. } = pruned;
            debug!(target: "steadfast", tasks, faults, records, executions, audit, "forgot what was old");
            if !catch_breath(&shared).await {
                return;
            }
        }
    }
}
