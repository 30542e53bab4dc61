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

mod activity;
mod admit;
mod attempt_permit;
mod audit;
mod breaker;
mod cache;
mod cancel_guard;
mod claim;
mod completion_feed;
mod control;
mod cursor;
mod decode_error;
mod echo;
mod engine;
mod error;
mod execution;
mod faults;
mod handover;
pub mod health;
mod history_codec;
mod inspect;
mod log;
mod measure;
mod open;
mod postgres;
mod program;
mod quarantine;
mod query;
mod record;
mod reports;
mod retention;
mod retry_decision;
mod rollup;
mod schedule;
mod settle;
mod sink;
mod snapshot;
mod sqlite;
mod store;
mod task;
mod task_events;
mod uniform_batch;
mod wake;
mod worker_status;

pub use activity::{Activity, Ended};
pub use admit::Admission;
pub use attempt_permit::{AttemptOutcome, AttemptPermit};
pub use audit::{AuditEntry, AuditQuery};
pub use breaker::{BreakerCommand, BreakerOverride, BreakerReport};
#[doc(hidden)]
pub use claim::check_lease;
pub use claim::{
    ClaimRequest, Claimed, Claims, DEFAULT_LEASE, FencingToken, Heartbeat, Lane, MAX_LEASE,
    Position,
};
pub use completion_feed::CompletionFeed;
pub use control::{Actor, Requeue, Requeued};
pub use engine::{Connection, Engine, Submitted};
pub use error::{Invalid, Result, StoreError};
pub use execution::{
    DeferredNode, Ending, ExecutionError, ExecutionFilter, ExecutionId, ExecutionState,
    ExecutionStatus, Executions, Failure, MAX_CHAIN, MAX_SHOWN, MissedCompletion, NewExecution,
    NodeEnding, NodeState, NodeStatus, NodeValue, OrphanedNodes, Outcome, Resumed, Started,
    StartedNode, Step, StoredExecution, StoredNode, ValuesWanted, WorkflowDefinition,
};
pub use handover::may_go_on;
pub use inspect::{Inspection, Migration, TableRows, inspect, migrate};
pub use postgres::Postgres;
pub use program::Program;
pub use query::{Counts, Cursor, Documents, Due, Filter, Page, PageRequest, QueueInfo, Stats};
pub use record::{Record, RecordKind};
pub use reports::{BudgetReport, Reports, WorkerReport};
pub use retention::{Pruned, Retention};
pub use retry_decision::{Asked, FailureContext, judged_lost, worker_lost};
pub use rollup::Rollup;
pub use schedule::{Planned, Preview, Schedule, schedule};
pub use settle::{Promoted, Settled, Settlement, Verdict};
pub use sink::{RecordWriter, StoreSink};
pub use sqlite::Sqlite;
pub use store::Store;
pub use task::{
    Event, FaultRecord, HeldLease, LastError, MAX_NAME, MAX_PAYLOAD, Status, StoredTask, Task,
    TaskId, When,
};
#[doc(hidden)]
pub use task::{document, name};
pub use task_events::{breaker_event, task_of};
pub use wake::{Listener, Wake, Wakes};
pub use worker_status::{QueueBacklog, WorkerInfo, WorkerStatus};
