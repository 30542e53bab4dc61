//! The SQL conditions of a filter.
//!
//! Only the fields that are set become conditions, so that the planner can use an index. Every
//! condition is on `task`, the row of the task.

use sqlx::{QueryBuilder, Sqlite};

use super::row::ids;
use crate::error::Result;
use crate::task::Status;
use crate::task::filter::Filter;

/// Adds the conditions of a filter to a statement that ends with a condition.
pub(super) fn push(statement: &mut QueryBuilder<Sqlite>, filter: &Filter) -> Result<()> {
    if let Some(wanted) = &filter.ids {
        statement.push(" AND task.id IN (SELECT unhex(value) FROM json_each(");
        statement.push_bind(ids(wanted.iter().copied())?).push("))");
    }
    push_queue(statement, "task", filter);
    let texts = [
        (" AND task.category = ", &filter.category),
        (" AND task.kind = ", &filter.kind),
        (" AND task.correlation_id = ", &filter.correlation_id),
    ];
    for (condition, text) in texts {
        if let Some(text) = text {
            statement.push(condition).push_bind(text.clone());
        }
    }
    if let Some(class) = filter.class {
        statement.push(" AND (SELECT class FROM steadfast_progress WHERE id = task.id) = ");
        statement.push_bind(class.name());
    }
    if let Some(time) = filter.submitted_after {
        statement.push(" AND task.submitted_at >= ").push_bind(time.as_microsecond());
    }
    if let Some(time) = filter.due_before {
        statement.push(" AND ").push(DUE_AT).push(" <= ").push_bind(time.as_microsecond());
    }
    if let Some(time) = filter.ended_after {
        statement
            .push(" AND ")
            .push(IS_ENDED)
            .push(" AND ended_at >= ")
            .push_bind(time.as_microsecond());
        statement.push(")");
    }
    Ok(())
}

/// Adds the condition on the queue, which some state rows have themselves.
pub(super) fn push_queue(statement: &mut QueryBuilder<Sqlite>, of: &str, filter: &Filter) {
    if let Some(queue) = &filter.queue {
        statement.push(format_args!(
            " AND {of}.queue = (SELECT number FROM steadfast_queues WHERE name = "
        ));
        statement.push_bind(queue.clone()).push(")");
    }
}

const DUE_AT: &str =
    "coalesce((SELECT due_at FROM steadfast_progress WHERE id = task.id), task.due_at)";

const IS_RUNNING: &str = "EXISTS (SELECT 1 FROM steadfast_running WHERE id = task.id)";

/// Without its closing parenthesis.
const IS_ENDED: &str = "EXISTS (SELECT 1 FROM steadfast_ended \
     WHERE status IN ('completed', 'failed', 'cancelled') AND id = task.id";

/// Adds the condition on the state, for a statement that does not read the state's table.
pub(super) fn push_status(statement: &mut QueryBuilder<Sqlite>, status: Status, now: i64) {
    match status {
        Status::Running => {
            statement.push(" AND ").push(IS_RUNNING);
        }
        Status::Pending | Status::Scheduled => {
            statement.push(" AND NOT ").push(IS_RUNNING).push(" AND NOT ").push(IS_ENDED);
            let compared = if status == Status::Pending { ") AND {} <= " } else { ") AND {} > " };
            statement.push(compared.replace("{}", DUE_AT)).push_bind(now);
        }
        Status::Completed | Status::Failed | Status::Cancelled => {
            statement.push(" AND ").push(IS_ENDED).push(" AND status = ");
            statement.push_bind(status.name()).push(")");
        }
    }
}
