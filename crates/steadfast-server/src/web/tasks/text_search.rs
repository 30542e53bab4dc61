//! Text search over tasks.
//!
//! The store has no index for text, and scanning a million payloads takes long. So each page scans a
//! limited number of the newest tasks (H3), states the number, and the next page continues there.

use serde_json::Value;
use steadfast::observe::Redactor;
use steadfast_api::{Api, ApiError, Local, Page, PageQuery, TaskFilter, TaskView};

const MAX_SCANNED: usize = 2_000;
const BATCH_SIZE: u32 = 1_000;

pub(super) struct SearchResult {
    pub(super) tasks: Page<TaskView>,
    pub(super) scanned: usize,
}

/// Searches for a text, ignoring case.
pub(super) async fn find(
    api: &Local,
    filter: &TaskFilter,
    page: &PageQuery,
    text: &str,
) -> Result<SearchResult, ApiError> {
    page.request()?;
    let text = text.to_lowercase();
    let (mut items, mut scanned) = (Vec::new(), 0);
    let mut after = page.after.clone();
    // A page of the store may be short or empty after it skipped many tasks.
    for _ in 0..MAX_SCANNED / BATCH_SIZE as usize {
        let part =
            api.tasks(filter, &PageQuery { limit: BATCH_SIZE, after: after.clone() }).await?;
        let (read, next) = (part.items.len(), part.next);
        let room = (page.limit as usize).saturating_sub(items.len());
        let found = part.items.into_iter().enumerate().filter_map(|(index, task)| {
            redacted_match(task, &text).map(|task| (index, without_documents(task)))
        });
        let found: Vec<_> = found.take(room).collect();
        let last = found.last().map_or(read, |(index, _)| index + 1);
        let is_full = found.len() == room;
        items.extend(found.into_iter().map(|(_, task)| task));
        scanned += if is_full { last } else { read };
        if is_full && last < read {
            // The cursor after the last match.
            let limit = u32::try_from(last).unwrap_or(BATCH_SIZE);
            after = api.rows(filter, &PageQuery { limit, after }).await?.next;
            break;
        }
        after = next;
        if is_full || after.is_none() || scanned >= MAX_SCANNED {
            break;
        }
    }
    Ok(SearchResult { tasks: Page { items, next: after }, scanned })
}

/// The task without payload and result, which the table does not show.
fn without_documents(mut task: TaskView) -> TaskView {
    (task.payload, task.result) = (Value::Null, None);
    task
}

/// The redacted task, if it matches after redaction: finding a secret would confirm a guess. Only
/// tasks that match before redaction are redacted, for speed.
fn redacted_match(task: TaskView, text: &str) -> Option<TaskView> {
    if !matches(&task, text) {
        return None;
    }
    let task = task.without_secrets(Redactor::installed());
    matches(&task, text).then_some(task)
}

fn matches(task: &TaskView, text: &str) -> bool {
    let names = [&task.category, &task.idempotency_key, &task.correlation_id];
    let names = names.into_iter().flatten().map(String::as_str);
    let error = task.last_error.as_ref().map(|error| error.message.as_str());
    let mut fields = [task.kind.as_str(), task.queue.as_str()]
        .into_iter()
        .chain(names)
        .chain(error)
        .chain(task.policy.as_ref().and_then(|policy| policy.id()));
    let id = task.id.to_string();
    fields.any(|field| contains(field, text))
        || id.contains(text)
        || json_contains(&task.payload, text)
}

fn contains(value: &str, text: &str) -> bool {
    value.to_lowercase().contains(text)
}

fn json_contains(value: &Value, text: &str) -> bool {
    match value {
        Value::String(string) => contains(string, text),
        Value::Array(values) => values.iter().any(|value| json_contains(value, text)),
        Value::Object(fields) => {
            fields.iter().any(|(name, value)| contains(name, text) || json_contains(value, text))
        }
        Value::Number(number) => number.to_string().contains(text),
        Value::Null | Value::Bool(_) => false,
    }
}
