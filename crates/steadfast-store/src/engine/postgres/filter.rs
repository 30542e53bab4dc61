//! The parameters of a filter, the first of every statement that takes one.

use sqlx::postgres::PgArguments;
use sqlx::query::Query;
use steadfast::Class;
use uuid::Uuid;

use crate::engine::time::Time;
use crate::task::filter::Filter;
use crate::task::{Status, TaskId};

/// Binds `$1` to `$10`. A parameter that is null matches every task.
pub(super) fn bind<'q>(
    query: Query<'q, sqlx::Postgres, PgArguments>,
    filter: &'q Filter,
) -> Query<'q, sqlx::Postgres, PgArguments> {
    let ids = |ids: &Vec<TaskId>| ids.iter().map(|id| id.uuid()).collect::<Vec<Uuid>>();
    query
        .bind(filter.status.map(Status::name))
        .bind(filter.ids.as_ref().map(ids))
        .bind(&filter.queue)
        .bind(&filter.category)
        .bind(&filter.kind)
        .bind(filter.class.map(Class::name))
        .bind(&filter.correlation_id)
        .bind(filter.due_before.map(Time))
        .bind(filter.submitted_after.map(Time))
        .bind(filter.ended_after.map(Time))
}
