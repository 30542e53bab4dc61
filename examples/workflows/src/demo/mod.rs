//! The demo of the service: an [order service](order_service) that fails, instances that are killed, and
//! a [clock] that is advanced.
//!
//! - [`crashes`] has orders done while instances are killed; [`check`] compares what the store
//!   recorded with what the shop did.
//! - [`days`] lets three weeks pass.
//! - [`throughput`] measures what is left when nothing goes wrong.

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

/// Resolves when whoever started this process is gone: where a service would wait for a signal.
pub async fn wait_for_parent_exit() {
    let (tell, told) = oneshot::channel::<()>();
    std::thread::spawn(move || {
        process::wait_for_parent_exit();
        drop(tell);
    });
    let _ = told.await;
}
