//! Labels that distinguish tasks of the same kind, such as the path of an `http` task.
//!
//! The label comes from the payload, but lists are read without payloads, each of which may have a
//! megabyte. So payloads are read afterwards for the generic kinds on a page, up to a size limit;
//! other tasks are labelled by their key or policy.

use std::collections::HashMap;

use serde_json::Value;
use steadfast::observe::Redactor;
use steadfast_api::{ApiError, TaskView};
use steadfast_store::{Documents, Filter, PageRequest, Store};

/// Kinds whose name does not describe the task.
const GENERIC_KINDS: [&str; 2] = ["http", "command"];
/// How many payloads are read per page.
const MAX_PAYLOADS: u32 = 100;
/// Their total size; enough for hundreds of typical payloads.
const MAX_PAYLOAD_BYTES: u64 = 128 << 10;
/// Longer labels are truncated.
const MAX_LABEL_CHARS: usize = 60;

/// Reads the payloads of tasks with generic kinds.
pub(super) async fn load_payloads(store: &Store, tasks: &mut [TaskView]) -> Result<(), ApiError> {
    let generic = tasks.iter().filter(|task| GENERIC_KINDS.contains(&task.kind.as_str()));
    let ids: Vec<_> = generic.map(|task| task.id).take(MAX_PAYLOADS as usize).collect();
    if ids.is_empty() {
        return Ok(());
    }
    let page = PageRequest { limit: MAX_PAYLOADS, after: None };
    let mut filter = Filter::all();
    filter.ids = Some(ids);
    let read = store.tasks_with(&filter, &page, Documents::UpTo(MAX_PAYLOAD_BYTES)).await?.items;
    let mut payloads: HashMap<_, _> = read.into_iter().map(|it| (it.id, it.payload)).collect();
    for task in tasks {
        if let Some(payload) = payloads.remove(&task.id) {
            task.payload = payload;
        }
    }
    Ok(())
}

/// The label from the payload, with secrets redacted.
pub(super) fn from_payload(task: &TaskView) -> Option<String> {
    let field = |name: &str| task.payload.get(name).and_then(Value::as_str);
    let label = match task.kind.as_str() {
        "http" => {
            let method = field("method").unwrap_or("GET");
            let url = Redactor::installed().text(field("url")?);
            format!("{method} {}", path(&url))
        }
        "command" => Redactor::installed().text(field("program")?).into_owned(),
        _ => return None,
    };
    Some(truncate(&label))
}

/// The label of any task: from its payload, its key or its policy.
pub(super) fn label(task: &TaskView) -> Option<String> {
    let policy = || task.policy.as_ref().and_then(|policy| policy.id());
    let name = || task.idempotency_key.as_deref().or_else(policy).map(truncate);
    from_payload(task).or_else(name)
}

/// The path of a URL without its query, or the host if the path is empty.
fn path(url: &str) -> &str {
    let url = url.split_once("://").map_or(url, |(_, rest)| rest);
    let url = url.split(['?', '#']).next().unwrap_or(url);
    match url.find('/') {
        Some(start) if start + 1 < url.len() => url.get(start..).unwrap_or(url),
        _ => url,
    }
}

fn truncate(text: &str) -> String {
    match text.chars().count() > MAX_LABEL_CHARS {
        true => text.chars().take(MAX_LABEL_CHARS - 1).chain(['…']).collect(),
        false => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// H2: calls are distinguished by their path.
    #[test]
    fn url_is_labelled_by_its_path() {
        let cases = [
            ("https://api.example.com/hooks/41?full=1#top", "/hooks/41"),
            ("http://127.0.0.1:9/", "127.0.0.1:9/"),
            ("https://api.example.com", "api.example.com"),
            ("nonsense", "nonsense"),
            ("", ""),
        ];
        for (url, expected) in cases {
            assert_eq!(path(url), expected, "{url}");
        }
    }

    /// H2: a label fits on one line.
    #[test]
    fn long_label_is_truncated() {
        assert_eq!(truncate("short"), "short");
        assert_eq!(truncate(&"ü".repeat(61)).chars().count(), MAX_LABEL_CHARS);
    }
}
