//! Execution ids.

use crate::task::id::uuid_id;

uuid_id! {
    /// The id of an execution: a UUID of version 7, so that ids sort by their time of creation.
    ExecutionId, "not an execution id: {}; list executions to find one"
}
