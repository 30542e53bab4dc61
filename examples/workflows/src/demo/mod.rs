//! The demo of the service: an [order service](order_service) that fails, instances that are killed, and
//! a [clock] that is advanced.
//!
//! - [`crashes`] runs orders while instances are killed; [`check`] compares the records of the store
//!   with the order service's ledger.
//! - [`schedule`] lets three weeks pass.
//! - [`throughput`] measures node executions per second without failures.

pub mod check;
pub mod clock;
pub mod crashes;
pub mod faults;
mod fleet;
pub mod ledger;
pub mod order_service;
pub mod report;
pub mod schedule;
pub mod throughput;

use steadfast_testing::process;
use tokio::sync::oneshot;

/// Resolves when the parent process has ended. A service would wait for a signal instead.
pub async fn wait_for_parent_exit() {
    let (ended, has_ended) = oneshot::channel::<()>();
    std::thread::spawn(move || {
        process::wait_for_parent_exit();
        drop(ended);
    });
    let _ = has_ended.await;
}
