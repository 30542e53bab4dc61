//! A durable task store: retries that outlive the process.
//!
//! A retry in a process ends with the process. Work that must not be lost, that waits two weeks, or
//! that any of ten machines may do, has to be stored: in an SQLite file, or in PostgreSQL for a
//! fleet.
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
//! # Design
//!
//! - [`Status`] is the state of a task, with one table of its transitions.
//! - [`Store`] validates input; an [`Engine`] stores it. There are two engines, and
//!   one conformance suite that both pass.
//! - A claim takes a batch under one lease with a [`FencingToken`]; a stale token is rejected.
//! - [`steadfast::decide`] makes every retry decision: see [`Claimed::failed`].
//!
//! Handlers, heartbeats and the worker loop are in the crate `steadfast-worker`.

#![cfg_attr(docsrs, feature(doc_cfg))]

mod audit;
mod control;
pub mod engine;
mod error;
mod events;
pub mod health;
mod location;
mod maintenance;
#[cfg(feature = "openapi")]
#[doc(hidden)]
pub mod openapi;
mod page;
mod queue;
mod report;
mod retry;
mod store;
mod task;
mod workflow;

pub use audit::{AuditEntry, AuditQuery};
pub use control::{Actor, Program, Requeue, Requeued};
pub use engine::inspect::{Inspection, Migration, TableRows, inspect, migrate};
pub use engine::postgres::Postgres;
pub use engine::sqlite::Sqlite;
pub use engine::{Connection, Engine, Submitted};
pub use error::{InputError, Result, StoreError};
pub use events::completion_feed::CompletionFeed;
pub use events::notifier::{Listener, Notifier, Wake};
pub use events::record::{Record, RecordKind};
pub use events::sink::{RecordWriter, StoreSink};
pub use events::task_events::{breaker_event, task_of_event};
pub use maintenance::Promoted;
pub use maintenance::retention::{Pruned, Retention};
pub use maintenance::rollup::Rollup;
pub use page::{Cursor, Page, PageRequest};
#[doc(hidden)]
pub use queue::claim::check_lease;
pub use queue::claim::{
    ClaimCursor, ClaimRequest, Claimed, Claims, DEFAULT_LEASE, FencingToken, Heartbeat, MAX_LEASE,
    QueueLimit,
};
pub use queue::settle::{Settled, Settlement, Verdict};
pub use queue::stats::{Activity, Counts, DueTimes, Ended, QueueInfo, Stats};
pub use queue::submit::CheckedTask;
pub use queue::worker_status::{QueueBacklog, WorkerInfo, WorkerStatus};
pub use report::{BreakerCommand, BreakerOverride, BreakerReport, BudgetReport, WorkerReport};
pub use retry::decision::{FailureContext, GuardEnv, worker_lost, worker_lost_judgement};
pub use retry::handover::can_hand_over;
pub use retry::permit::{AttemptOutcome, AttemptPermit};
pub use retry::schedule::{NextAttempt, Preview, Schedule, retries_only_lost_workers, schedule};
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
    ExecutionStatus, Failure, MAX_CHAIN_LENGTH, MAX_SHOWN_BYTES, MissedCompletion, NewExecution,
    NodeEnding, NodeState, NodeStatus, NodeValue, OrphanedNodes, Outcome, Resumed, Started,
    StartedNode, Step, StoredExecution, StoredNode, ValuesWanted, WorkflowDefinition,
};
