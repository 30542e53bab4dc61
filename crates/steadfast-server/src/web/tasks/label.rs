//! Labels that distinguish tasks of the same kind, such as the path of an `http` task.
//!
//! The label comes from the payload, but lists are read without payloads, each of which may have a
//! megabyte. So payloads are read afterwards for the generic kinds on a page, up to a size limit;
//! other tasks are labelled by their key or policy.

use serde_json::Value;
use steadfast::observe::Redactor;
use steadfast_api::{ApiError, TaskView};
use steadfast_store::{Documents, Store};

use super::by_ids;
use crate::web::parts::truncate;

/// Kinds whose name does not describe the task.
const GENERIC_KINDS: [&str; 2] = ["http", "command"];
/// The total size of the payloads; enough for hundreds of typical ones.
const MAX_PAYLOAD_BYTES: u64 = 128 << 10;
const MAX_LABEL_CHARS: usize = 60;

pub(super) async fn load_payloads(store: &Store, tasks: &mut [TaskView]) -> Result<(), ApiError> {
    let generic = tasks.iter().filter(|task| GENERIC_KINDS.contains(&task.kind.as_str()));
    let ids = generic.map(|task| task.id);
    let mut read = by_ids(store, ids, Documents::UpTo(MAX_PAYLOAD_BYTES)).await?;
    for task in tasks {
        if let Some(read) = read.remove(&task.id) {
            task.payload = read.payload;
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
    Some(truncate(&label, MAX_LABEL_CHARS))
}

/// The label of any task: from its payload, its key or its policy.
pub(super) fn label(task: &TaskView) -> Option<String> {
    let policy = || task.policy.as_ref().and_then(|policy| policy.id());
    let name = || task.idempotency_key.as_deref().or_else(policy);
    from_payload(task).or_else(|| Some(truncate(name()?, MAX_LABEL_CHARS)))
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
}
