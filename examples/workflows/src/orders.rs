//! The intake of orders: each is an execution of the workflow.

use std::sync::Arc;

use serde_json::json;
use steadfast_flow::{ExecutionFilter, ExecutionId, ExecutionStatus, Flow, Start, Workflow};
use steadfast_store::PageRequest;

use crate::Problem;

/// The definition of the workflow.
pub const ORDER: &str = include_str!("../workflows/order.json");

/// Starts an execution for each order, all or none. The keys make a repeated start harmless.
///
/// # Errors
/// The database failed.
pub async fn take_in(flow: &Flow, shop: &str, count: u64) -> Result<Vec<ExecutionId>, Problem> {
    let workflow = Arc::new(Workflow::parse(ORDER)?);
    let start = |order: u64| {
        let trigger = json!({ "order": order, "shop": shop });
        Start::of(&workflow, &trigger).key(format!("order-{order}"))
    };
    let started = flow.start_all((0..count).map(start).collect()).await?;
    Ok(started.into_iter().map(|one| one.id).collect())
}

/// Whether every execution has ended, including retries of failed ones.
///
/// # Errors
/// The database failed.
pub async fn all_ended(flow: &Flow) -> Result<bool, Problem> {
    let running = ExecutionFilter::all().status(ExecutionStatus::Running);
    let one = PageRequest { limit: 1, after: None };
    Ok(flow.executions(&running, &one).await?.items.is_empty())
}
