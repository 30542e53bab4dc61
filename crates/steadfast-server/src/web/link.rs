//! URLs of pages, with names percent-encoded.

use serde::Serialize;
use steadfast_api::path_segment;
use steadfast_store::{ExecutionId, TaskId};

/// The URL of a named thing under this path.
pub(super) fn to(path: &str, name: &str) -> String {
    format!("{path}/{}", path_segment(name))
}

pub(super) fn task(id: TaskId) -> String {
    format!("/tasks/{id}")
}

pub(super) fn execution(id: ExecutionId) -> String {
    format!("/executions/{id}")
}

pub(super) fn workflow(number: i64) -> String {
    format!("/workflows/{number}")
}

/// The URL of an element of a page by its id.
pub(super) fn anchor(path: &str, name: &str) -> String {
    format!("{path}#{}", path_segment(name))
}

pub(super) fn queue(name: &str) -> String {
    filtered("/tasks", [("queue", name)])
}

pub(super) fn queue_status(status: &str, name: &str) -> String {
    filtered("/tasks", [("status", status), ("queue", name)])
}

/// The URL of a list with a filter, which may be a struct or a list of pairs.
pub(super) fn filtered(path: &str, filter: impl Serialize) -> String {
    match serde_urlencoded::to_string(filter) {
        Ok(query) if !query.is_empty() => format!("{path}?{query}"),
        _ => path.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// K4: a name is one path segment, whatever it contains.
    #[test]
    fn name_stays_one_path_segment() {
        assert_eq!(to("/queues", "a/b ü?"), "/queues/a%2Fb%20%C3%BC%3F");
        assert_eq!(to("/policies", "browser.state_1"), "/policies/browser.state_1");
        assert_eq!(anchor("/breakers", "of-a b"), "/breakers#of-a%20b");
        assert_eq!(queue_status("failed", "a&b"), "/tasks?status=failed&queue=a%26b");
    }
}
