//! What the service is put through: a [shop] that fails, a fleet of instances that are
//! killed, a [clock] that is put forward.
//!
//! - [`storm`] has orders done while instances are killed; [`check`] compares what the store
//!   recorded with what the shop did.
//! - [`days`] lets three weeks pass.
//! - [`throughput`] measures what is left when nothing goes wrong.

pub mod check;
pub mod clock;
pub mod days;
pub mod faults;
mod fleet;
pub mod ledger;
pub mod shop;
pub mod show;
pub mod storm;
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
