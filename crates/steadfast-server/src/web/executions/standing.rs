//! Where the tasks of nodes are that have begun: a node that was submitted may be running, or wait
//! half an hour for its next attempt, and whoever looks wants to know which, and why.

use std::collections::HashMap;

use maud::{Markup, html};
use steadfast_api::{ApiError, NodeView};
use steadfast_flow::NodePlace;
use steadfast_store::{Documents, Filter, PageRequest, Status, Store, StoredTask, TaskId};

use crate::web::parts;
use crate::web::view::View;

/// Of so many nodes at a time the tasks are read. They are read without payloads.
const AT_MOST: u32 = 100;

/// The tasks of nodes that are under way.
#[derive(Debug, Default)]
pub(super) struct Tasks(HashMap<TaskId, StoredTask>);

impl Tasks {
    /// Those of these nodes, in one question.
    pub(super) async fn of(nodes: &[NodeView], store: &Store) -> Result<Self, ApiError> {
        let begun = nodes.iter().filter(|node| node.status == NodePlace::Submitted);
        let ids: Vec<_> = begun.filter_map(|node| node.task).take(AT_MOST as usize).collect();
        if ids.is_empty() {
            return Ok(Self::default());
        }
        let mut those = Filter::all();
        those.ids = Some(ids);
        let page = PageRequest { limit: AT_MOST, after: None };
        let tasks = store.tasks_with(&those, &page, Documents::Without).await?.items;
        Ok(Self(tasks.into_iter().map(|task| (task.id, task)).collect()))
    }

    /// That of a node, if it is under way.
    pub(super) fn of_node(&self, node: &NodeView) -> Option<&StoredTask> {
        self.0.get(&node.task?).filter(|task| !task.status.is_ended())
    }
}

/// What a task that is under way does now.
pub(super) fn now(view: &View, task: &StoredTask) -> Markup {
    let attempt = html! { "attempt " (task.attempts + 1) " of " (task.max_attempts) };
    html! {
        @match task.status {
            Status::Scheduled => { (attempt) " " (parts::at(view.now, task.scheduled_at)) }
            Status::Pending => { (attempt) " waits for a worker for " (parts::ago(view.now, task.scheduled_at)) }
            _ => { (attempt) " is under way" }
        }
        @if let Some(error) = &task.last_error { ": " (error.message) }
    }
}
