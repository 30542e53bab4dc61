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

mod api;
mod audit;
mod breakers;
mod claims;
mod error;
mod events;
mod local;
mod metrics_summary;
#[cfg(feature = "openapi")]
pub mod openapi;
mod page;
mod parse;
mod path_segment;
mod policies;
mod queues;
#[cfg(feature = "remote")]
pub mod remote;
mod sessions;
mod tasks;
pub mod time_input;
mod workers;
mod workflows;

pub use api::Api;
pub use audit::{AuditFilter, Deed, Seen, Witness};
pub use breakers::BreakerView;
pub use claims::{
    AttemptFailure, ClaimView, ClaimedTask, Claims, Completion, FailResponse, HeartbeatRequest,
    NewClaim,
};
pub use error::{ApiError, ErrorKind};
pub use events::{EventFilter, EventView, Events, EventsFrom};
pub use local::{InForce, Local};
pub use metrics_summary::Window;
pub use page::{Page, PageQuery};
#[doc(hidden)]
pub use parse::serde_message::nearest_in_refusal;
pub use parse::{from_json, from_query};
pub use path_segment::path_part;
pub use policies::{
    Classification, ClassifyRequest, KnownPolicy, PlanQuery, PlanView, PlannedAttempt,
    PoliciesView, PolicyChoice, PolicySummary, fields as policy_fields,
};
pub use queues::QueueView;
pub use sessions::{Outcome, SessionFilter};
pub use tasks::{
    NewExpiry, NewTask, NextAttempt, PastAttempt, Preview, RequeueMany, RequeueOne, Requeued,
    StatsView, Submission, Submitted, TaskFilter, TaskView,
};
pub use workers::{WorkerStatus, WorkerView};
pub use workflows::{
    CheckedWorkflow, ExecutionFilter, ExecutionView, NewExecution, NodeView, StartedExecution,
    WorkflowProblem, WorkflowView,
};
