//! The schemas of what comes from other crates, for OpenAPI.
//!
//! Tasks, faults and policies belong to crates that know nothing of HTTP and should not learn of
//! it. So what they look like as JSON is said here, in types that are never made: names are
//! taken from the code, shapes are written down again, and the server's tests hold real answers
//! against them.

mod audit;
mod guard;
mod observed;
mod one_of;
mod policy;
mod task;
mod text;
mod workflow;

pub use audit::{Actor, AuditEntry};
pub use guard::{
    BreakerCommand, BreakerOverride, BreakerReport, BreakerState, BudgetReport, BudgetSettings,
};
pub use observed::{AttemptRecord, Event, EventType, GroupStats, MetricsSummary, Session};
pub use policy::{MappedName, Policy, PolicyChoice, PolicyId};
pub use task::{
    Class, Fault, FaultKind, FaultRecord, GrpcStatus, HeldLease, LastError, Reason, RequeueChosen,
    Status,
};
pub use text::{Hint, Lasting, Lease, Moment, Name, TaskId, Within};
pub use workflow::{ExecutionStatus, NodePlace, Workflow, WorkflowNode};
