//! Tasks: submit, filter, view and control.

mod control;
mod filter;
mod stats;
mod submit;
mod submit_response;
mod view;

pub use control::{NewExpiry, RequeueMany, RequeueOne, Requeued};
pub use filter::TaskFilter;
pub use stats::StatsView;
pub use submit::{NewTask, PriorAttempt};
pub use submit_response::{Preview, Submission};
pub(crate) use submit_response::{batch_error, no_task_with_key, with_index};
pub use view::TaskView;
