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
mod breakers;
mod claims;
mod classify;
mod error;
mod events;
mod figures;
mod local;
mod new_task;
mod page;
mod past;
mod path_part;
mod plan;
mod policies;
mod policy_choice;
mod preview;
mod query;
mod reading;
mod refusal;
#[cfg(feature = "openapi")]
pub mod schemas;
mod sessions;
mod stats;
mod steer;
mod submitted;
mod summary;
mod task_session;
mod task_view;
mod under_way;
pub mod when;
mod witness;
mod workers;
mod workflows;
pub mod written;

pub use api::Api;
pub use breakers::BreakerView;
pub use claims::{
    AttemptFailure, ClaimView, ClaimedTask, Claims, Completion, NewClaim, SignOfLife, WhatFollows,
};
pub use classify::{Judged, ToJudge};
pub use error::{ApiError, ErrorKind};
pub use events::{EventFilter, EventView, Events, EventsFrom};
pub use figures::Window;
pub use local::{InForce, Local};
pub use new_task::NewTask;
pub use page::{Page, PageQuery};
pub use past::PastAttempt;
pub use path_part::path_part;
pub use plan::{PlanQuery, PlanView, PlannedAttempt};
pub use policies::{KnownPolicy, PoliciesView};
pub use policy_choice::PolicyChoice;
pub use preview::Preview;
pub use query::{AuditFilter, TaskFilter};
pub use reading::{from_json, from_query};
#[doc(hidden)]
pub use refusal::nearest_in_refusal;
pub use sessions::{Outcome, SessionFilter};
pub use stats::{QueueView, StatsView};
pub use steer::{NewExpiry, RequeueMany, RequeueOne, Requeued};
pub use submitted::{Submission, Submitted};
pub use summary::PolicySummary;
pub use task_view::{NextAttempt, TaskView};
pub use witness::{Deed, Seen, Witness};
pub use workers::{AtWork, WorkerView};
pub use workflows::{
    CheckedWorkflow, ExecutionFilter, ExecutionView, NewExecution, NodeView, StartedExecution,
    WorkflowProblem, WorkflowView,
};
