//! The tasks of submitted nodes.
//!
//! A submitted node may be running or may wait half an hour for its next attempt; its task shows
//! which, and why.

use std::collections::HashMap;

use maud::{Markup, html};
use steadfast_api::{ApiError, ExecutionNode};
use steadfast_flow::ExecutionNodeStatus;
use steadfast_store::{Documents, Status, Store, StoredTask, TaskId, retries_only_lost_workers};

use crate::web::{View, parts, tasks};

pub(super) struct NodeTasks(HashMap<TaskId, StoredTask>);

impl NodeTasks {
    pub(super) async fn load(nodes: &[ExecutionNode], store: &Store) -> Result<Self, ApiError> {
        let submitted = nodes.iter().filter(|node| node.status == ExecutionNodeStatus::Submitted);
        let ids = submitted.filter_map(|node| node.task);
        tasks::by_ids(store, ids, Documents::Without).await.map(Self)
    }

    /// The task of a node, if it has not finished.
    pub(super) fn get(&self, node: &ExecutionNode) -> Option<&StoredTask> {
        self.0.get(&node.task?).filter(|task| !task.status.is_ended())
    }
}

pub(super) fn progress(view: &View, task: &StoredTask) -> Markup {
    let attempt = html! {
        "attempt " (task.attempts + 1)
        @if !task.policy.as_deref().is_some_and(retries_only_lost_workers) {
            " of " (task.max_attempts.max(task.attempts + 1))
        }
    };
    html! {
        @match task.status {
            Status::Scheduled => { (attempt) " " (parts::at(view.now, task.scheduled_at)) }
            Status::Pending => { (attempt) " waiting for a worker for " (parts::ago(view.now, task.scheduled_at)) }
            _ => { (attempt) " is running" }
        }
        @if let Some(error) = &task.last_error { ": " (parts::error(&error.message)) }
    }
}
