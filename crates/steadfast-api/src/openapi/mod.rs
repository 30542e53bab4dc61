//! OpenAPI schemas of types of other crates.
//!
//! Tasks, faults and policies belong to crates that do not depend on `utoipa`. Their JSON is
//! described here by types without values: enum values come from the code, and the tests of the
//! server validate real responses against the schemas.

mod audit;
mod enums;
mod guards;
mod observe;
mod policy;
mod strings;
mod task;
mod workflow;

pub use audit::{Actor, AuditEntry};
pub use guards::{
    BreakerCommand, BreakerOverride, BreakerReport, BreakerState, BudgetReport, BudgetSettings,
};
pub use observe::{AttemptRecord, Event, EventType, GroupStats, MetricsSummary, Session};
pub use policy::{MappedName, Policy, PolicyChoice, PolicyId};
pub use strings::{AnyDuration, DurationInput, Hint, Lease, Name, TaskId, TimeInput};
pub use task::{
    BulkRequeue, Class, Fault, FaultKind, FaultRecord, GrpcStatus, HeldLease, LastError, Reason,
    Status,
};
pub use workflow::{ExecutionStatus, NodeStatus, Workflow, WorkflowNode};
