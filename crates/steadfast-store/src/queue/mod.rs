//! The task queue: submitting, claiming, and settling tasks.

pub(crate) mod cancel_guard;
pub(crate) mod claim;
pub(crate) mod quarantine;
pub(crate) mod settle;
pub(crate) mod stats;
pub(crate) mod submit;
pub(crate) mod uniform_batch;
pub(crate) mod worker_status;
