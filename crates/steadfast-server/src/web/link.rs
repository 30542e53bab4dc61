//! Addresses of things that people named: a queue may be called anything.

use serde::Serialize;
use steadfast_api::path_part;
use steadfast_store::{ExecutionId, TaskId};

/// The address of something under this path.
pub(super) fn to(path: &str, name: &str) -> String {
    format!("{path}/{}", path_part(name))
}

/// The address of a task.
pub(super) fn task(id: TaskId) -> String {
    format!("/tasks/{id}")
}

/// The address of an execution.
pub(super) fn execution(id: ExecutionId) -> String {
    format!("/executions/{id}")
}

/// The address of a workflow.
pub(super) fn workflow(number: i64) -> String {
    format!("/workflows/{number}")
}

/// The address of what stands under this name on a page.
pub(super) fn within(path: &str, name: &str) -> String {
    format!("{path}#{}", path_part(name))
}

/// The address of the tasks of a queue.
pub(super) fn queue(name: &str) -> String {
    narrowed("/tasks", &[("queue", name)])
}

/// The address of those of them that are here.
pub(super) fn of_queue(status: &str, name: &str) -> String {
    narrowed("/tasks", &[("status", status), ("queue", name)])
}

/// The address of a list that is narrowed down by these.
pub(super) fn narrowed(path: &str, query: &[(&str, &str)]) -> String {
    format!("{path}?{}", serde_urlencoded::to_string(query).unwrap_or_default())
}

/// The address of a list that is narrowed down by a filter.
pub(super) fn filtered(path: &str, filter: &impl Serialize) -> String {
    match serde_urlencoded::to_string(filter) {
        Ok(query) if !query.is_empty() => format!("{path}?{query}"),
        _ => path.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// K4: a name is one part of a path, whatever is in it.
    #[test]
    fn a_name_stays_one_part_of_the_path() {
        assert_eq!(to("/queues", "a/b ü?"), "/queues/a%2Fb%20%C3%BC%3F");
        assert_eq!(to("/policies", "browser.state_1"), "/policies/browser.state_1");
        assert_eq!(within("/breakers", "of-a b"), "/breakers#of-a%20b");
        assert_eq!(of_queue("failed", "a&b"), "/tasks?status=failed&queue=a%26b");
    }
}
