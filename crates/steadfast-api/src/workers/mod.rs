//! Workers: the list of them, and the registration of those that claim over HTTP.

mod registration;
mod view;

pub(crate) use registration::Callers;
pub(crate) use view::look;
pub use view::{WorkerStatus, WorkerView};
