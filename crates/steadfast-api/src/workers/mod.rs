//! Workers: the list of them, and the registration of those that claim over HTTP.

mod registration;
mod view;

pub(crate) use registration::HttpWorkers;
pub(crate) use view::read;
pub use view::{WorkerStatus, WorkerView};
