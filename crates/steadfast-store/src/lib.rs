//! Tasks that are tried again after the process has gone.
//!
//! A retry in a process ends with the process. Work that must not be lost, that must wait two
//! weeks, or that any of ten machines may do, has to be written down. This crate keeps it: in an
//! SQLite file that needs nothing else, or in PostgreSQL for a fleet.
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use steadfast_store::{Store, Task};
//!
//! let store = Store::open("sqlite::memory:").await?;
//! let submitted = store.submit(Task::new("send-invoice", &42).policy("patient")).await?;
//! let task = store.task(submitted.id).await?;
//! assert_eq!((task.status.name(), task.max_attempts), ("pending", 9));
//! # Ok(())
//! # }
//! ```
//!
//! # How it is made
//!
//! - [`Status`] is where a task can be, and the one table of how it moves.
//! - [`Store`] checks what comes in; an [`Engine`] keeps it. There are two engines, and one
//!   suite of tests that both pass.
//! - A claim takes a batch under one lease with one fencing [`FencingToken`]; a stale one is refused.
//! - What follows from a failure is asked of [`steadfast::decide`], in one place: see
//!   [`Claimed::failed`].
//!
//! Handlers, heartbeats and everything else that runs are in the crate `steadfast-worker`.

mod audit;
mod control;
mod echo;
mod engine;
mod error;
mod events;
pub mod health;
mod location;
mod maintenance;
mod page;
mod queue;
mod report;
mod retry;
mod store;
mod task;
mod workflow;

pub use audit::{AuditEntry, AuditQuery};
pub use control::program::Program;
pub use control::{Actor, Requeue, Requeued};
pub use engine::inspect::{Inspection, Migration, TableRows, inspect, migrate};
pub use engine::postgres::Postgres;
pub use engine::sqlite::Sqlite;
pub use engine::workflows::Executions;
pub use engine::{Connection, Engine, Submitted};
pub use error::{Invalid, Result, StoreError};
pub use events::completion_feed::CompletionFeed;
pub use events::notifier::{Listener, Wake, Wakes};
pub use events::record::{Record, RecordKind};
pub use events::sink::{RecordWriter, StoreSink};
pub use events::task_events::{breaker_event, task_of};
pub use maintenance::retention::{Pruned, Retention};
pub use maintenance::rollup::Rollup;
pub use page::{Cursor, Page, PageRequest};
pub use queue::activity::{Activity, Ended};
#[doc(hidden)]
pub use queue::claim::check_lease;
pub use queue::claim::{
    ClaimRequest, Claimed, Claims, DEFAULT_LEASE, FencingToken, Heartbeat, Lane, MAX_LEASE,
    Position,
};
pub use queue::settle::{Promoted, Settled, Settlement, Verdict};
pub use queue::stats::{Counts, Due, QueueInfo, Stats};
pub use queue::submit::Admission;
pub use queue::worker_status::{QueueBacklog, WorkerInfo, WorkerStatus};
pub use report::breaker::{BreakerCommand, BreakerOverride, BreakerReport};
pub use report::worker::{BudgetReport, Reports, WorkerReport};
pub use retry::decision::{Asked, FailureContext, judged_lost, worker_lost};
pub use retry::handover::may_go_on;
pub use retry::permit::{AttemptOutcome, AttemptPermit};
pub use retry::schedule::{Planned, Preview, Schedule, schedule};
pub use store::Store;
pub use task::filter::{Documents, Filter};
pub use task::{
    Event, FaultRecord, HeldLease, LastError, MAX_NAME, MAX_PAYLOAD, Status, StoredTask, Task,
    TaskId, When,
};
#[doc(hidden)]
pub use task::{document, name};
pub use workflow::{
    DeferredNode, Ending, ExecutionError, ExecutionFilter, ExecutionId, ExecutionState,
    ExecutionStatus, Failure, MAX_CHAIN, MAX_SHOWN, MissedCompletion, NewExecution, NodeEnding,
    NodeState, NodeStatus, NodeValue, OrphanedNodes, Outcome, Resumed, Started, StartedNode, Step,
    StoredExecution, StoredNode, ValuesWanted, WorkflowDefinition,
};
