//! The API of Steadfast: requests, responses and errors as data.
//!
//! The command line, the HTTP API and the web UI share these types, which are read and written as
//! JSON. [`Api`] has all requests. [`Local`] answers them from a store in this process,
//! `remote::Remote` (feature `remote`) from a server over HTTP.
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use steadfast_api::{Api, Local, NewTask};
//! use steadfast_store::{Actor, Store};
//!
//! let store = Store::open("sqlite::memory:").await?;
//! let api = Local::new(store, Actor::new("ada"));
//! let task = NewTask::from_json(r#"{"kind": "http", "payload": {"url": "https://a.example/"}}"#)?;
//! let submitted = api.submit(task).await?;
//! assert_eq!(submitted.task.status.name(), "pending");
//! assert_eq!(api.stats().await?.pending, 1);
//! # Ok(())
//! # }
//! ```

#![cfg_attr(docsrs, feature(doc_cfg))]

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
#[cfg(feature = "remote")]
pub mod remote;
mod sessions;
mod tasks;
pub mod time_input;
mod workers;
mod workflows;

pub use api::Api;
pub use audit::{AuditFilter, AuditHook, ReadAction, TaskAction};
pub use breakers::BreakerView;
pub use claims::{
    AttemptFailure, ClaimView, ClaimedTask, Claims, Completion, FailResponse, HeartbeatRequest,
    NewClaim,
};
pub use error::{ApiError, ErrorKind};
pub use events::{EventFilter, EventView, Events, EventsFrom};
pub use local::{Local, PolicySource};
pub use metrics_summary::Window;
pub use page::PageQuery;
#[doc(hidden)]
pub use parse::serde_message::nearest_in_serde_error;
pub use parse::{from_json, from_query};
pub use path_segment::path_segment;
pub use policies::{
    Classification, ClassifyRequest, PlanQuery, PlanView, PoliciesView, PolicyChoice,
    PolicyDetails, PolicySummary, fields as policy_fields,
};
pub use sessions::{Outcome, SessionFilter};
pub use steadfast_flow::{Execution, ExecutionNode};
pub use steadfast_store::{ExecutionFilter, NextAttempt, Page, QueueInfo, Submitted};
pub use tasks::{
    NewExpiry, NewTask, Preview, PriorAttempt, RequeueMany, RequeueOne, Requeued, StatsView,
    Submission, TaskFilter, TaskView,
};
pub use workers::{WorkerStatus, WorkerView};
pub use workflows::{CheckedWorkflow, NewExecution, StartedExecution, WorkflowView};
