//! Tasks: submit, filter, view and control.

mod control;
mod filter;
mod preview;
mod prior_attempts;
mod stats;
mod submit;
mod submit_response;
mod to_store_task;
mod view;

pub use control::{NewExpiry, RequeueMany, RequeueOne, Requeued};
pub use filter::TaskFilter;
pub use preview::Preview;
pub use prior_attempts::PriorAttempt;
pub use stats::StatsView;
pub use submit::NewTask;
pub use submit_response::Submission;
pub(crate) use submit_response::{batch_error, no_task_with_key, with_index};
pub use view::TaskView;
