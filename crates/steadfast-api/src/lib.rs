//! What can be asked of a store, in the words of everybody who asks.
//!
//! A command line, a server and a page ask the same questions, and whoever has learned one of
//! them should know the others. So questions, answers and errors stand here once, as data that
//! is read and written as JSON, and [`Api`] is everything that can be asked. [`Local`] answers
//! out of a store in this process.
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use steadfast_api::{Api, Local, NewTask};
//! use steadfast_store::{By, Store};
//!
//! let store = Store::open("sqlite::memory:").await?;
//! let api = Local::new(store, By::new("ada"));
//! let task = NewTask::from_json(r#"{"kind": "http", "payload": {"url": "https://a.example/"}}"#)?;
//! let submitted = api.submit(task).await?;
//! assert_eq!(submitted.task.status.name(), "pending");
//! assert_eq!(api.stats().await?.pending, 1);
//! # Ok(())
//! # }
//! ```

mod answered_policy;
mod api;
mod audit;
mod audit_hook;
mod breakers;
mod claims;
mod classify;
mod control;
mod error;
mod events;
mod in_flight;
mod local;
mod metrics_summary;
mod new_task;
mod page;
mod path_part;
mod plan;
mod policies;
mod policy_choice;
pub mod policy_fields;
mod preview;
mod prior_attempts;
mod query;
mod reading;
mod rejection;
#[cfg(feature = "remote")]
pub mod remote;
#[cfg(feature = "openapi")]
pub mod schemas;
mod sessions;
mod stats;
mod submitted;
mod summary;
mod task_session;
mod task_view;
pub mod when;
mod workers;
mod workflows;

pub use api::Api;
pub use audit_hook::{Deed, Seen, Witness};
pub use breakers::BreakerView;
pub use claims::{
    AttemptFailure, ClaimView, ClaimedTask, Claims, Completion, FailResponse, HeartbeatRequest,
    NewClaim,
};
pub use classify::{Classification, ClassifyRequest};
pub use control::{NewExpiry, RequeueMany, RequeueOne, Requeued};
pub use error::{ApiError, ErrorKind};
pub use events::{EventFilter, EventView, Events, EventsFrom};
pub use local::{InForce, Local};
pub use metrics_summary::Window;
pub use new_task::NewTask;
pub use page::{Page, PageQuery};
pub use path_part::path_part;
pub use plan::{PlanQuery, PlanView, PlannedAttempt};
pub use policies::{KnownPolicy, PoliciesView};
pub use policy_choice::PolicyChoice;
pub use preview::Preview;
pub use prior_attempts::PastAttempt;
pub use query::{AuditFilter, TaskFilter};
pub use reading::{from_json, from_query};
#[doc(hidden)]
pub use rejection::nearest_in_refusal;
pub use sessions::{Outcome, SessionFilter};
pub use stats::{QueueView, StatsView};
pub use submitted::{Submission, Submitted};
pub use summary::PolicySummary;
pub use task_view::{NextAttempt, TaskView};
pub use workers::{WorkerStatus, WorkerView};
pub use workflows::{
    CheckedWorkflow, ExecutionFilter, ExecutionView, NewExecution, NodeView, StartedExecution,
    WorkflowProblem, WorkflowView,
};
