//! Sums up what ended in each minute that is over (O1), so that figures of a week need not be
//! counted task by task.

use std::sync::Arc;
use std::time::Duration;

use super::{catch_breath, next_round};
use crate::shared::Shared;

/// A minute is summed up when it is over.
const EVERY: Duration = Duration::from_secs(60);

pub(super) async fn run(shared: Arc<Shared>) {
    while next_round(&shared, EVERY).await {
        loop {
            let rollup = || shared.store.rollup();
            match shared.patience.ask("sum up what ended", rollup).await {
                None => return,
                Some(false) => break,
                Some(true) => {}
            }
            if !catch_breath(&shared).await {
                return;
            }
        }
    }
}
