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
//! - A claim takes a batch under one lease with one fencing [`Version`]; a stale one is refused.
//! - What follows from a failure is asked of [`steadfast::decide`], in one place: see
//!   [`Claimed::failed`].
//!
//! Handlers, heartbeats and everything else that runs are in the crate `steadfast-worker`.

mod activity;
mod admit;
mod alike;
mod at_work;
mod audit;
mod breaker;
mod claim;
mod cursor;
mod damage;
mod delivery;
mod echo;
mod ends;
mod engine;
mod error;
mod execution;
mod faults;
mod figures;
mod handover;
pub mod health;
mod inspect;
mod keep;
mod leave;
mod log;
mod measure;
mod memory;
mod open;
mod pack;
mod postgres;
mod program;
mod query;
mod record;
mod reports;
mod schedule;
mod set_aside;
mod settle;
mod sink;
mod snapshot;
mod sqlite;
mod steer;
mod step;
mod store;
mod task;
mod tell;
mod wake;

pub use activity::{Activity, Ended};
pub use admit::Admission;
pub use at_work::{AtWork, LineInfo, WorkerInfo};
pub use audit::{AuditEntry, AuditQuery};
pub use breaker::{BreakerOrder, BreakerReport, BreakerWish};
#[doc(hidden)]
pub use claim::check_lease;
pub use claim::{
    ClaimRequest, Claimed, Claims, DEFAULT_LEASE, Heartbeat, LONGEST_LEASE, Lane, Position, Version,
};
pub use ends::Ends;
pub use engine::{Connection, Engine, Submitted};
pub use error::{Invalid, Result, StoreError};
pub use execution::{
    Begun, Ending, ExecutionError, ExecutionFilter, ExecutionId, ExecutionState, ExecutionStatus,
    Executions, Failure, KeptWorkflow, MAX_CHAIN, MAX_SHOWN, NewExecution, NodeEnding, NodeState,
    NodeStatus, NodeValue, Outcome, Resumed, Started, Step, StoredExecution, StoredNode, Strays,
    Unbegun, Unnoticed, ValuesWanted,
};
pub use figures::Summed;
pub use handover::may_go_on;
pub use inspect::{Inspection, Migration, TableRows, inspect, migrate};
pub use keep::{Pruned, Retention};
pub use leave::{Follows, Leave};
pub use postgres::Postgres;
pub use program::Program;
pub use query::{Counts, Cursor, Documents, Due, Filter, Page, PageRequest, QueueInfo, Stats};
pub use record::{Record, RecordKind};
pub use reports::{BudgetReport, Reports, WorkerReport};
pub use schedule::{Planned, Preview, Schedule, schedule};
pub use settle::{Promoted, Settled, Settlement, Verdict};
pub use sink::{Keeper, StoreSink};
pub use sqlite::Sqlite;
pub use steer::{By, Requeue, Requeued};
pub use step::{Asked, Circumstances, judged_lost, worker_lost};
pub use store::Store;
pub use task::{
    Event, FaultRecord, HeldLease, LastError, MAX_NAME, MAX_PAYLOAD, Status, StoredTask, Task,
    TaskId, When,
};
#[doc(hidden)]
pub use task::{document, name};
pub use tell::{breaker_event, task_of};
pub use wake::{Listener, Wake, Wakes};
