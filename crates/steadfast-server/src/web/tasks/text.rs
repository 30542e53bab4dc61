//! Tasks that say something.
//!
//! A store finds tasks by what it has an order for, and words are not that: to look through a
//! million payloads takes as long as it takes. So a page looks through as many of the newest as
//! nobody waits for (H3), says so, and goes on from there if somebody wants it to.

use serde_json::Value;
use steadfast::observe::Redactor;
use steadfast_api::{Api, ApiError, Local, Page, PageQuery, TaskFilter, TaskView};
use steadfast_store::Cursor;

/// How many are looked through for one page.
const LOOKED_THROUGH: usize = 2_000;
/// How many are read at a time.
const AT_A_TIME: u32 = 1_000;

/// Those that say it, of the next few thousand.
pub(super) struct Found {
    pub(super) tasks: Page<TaskView>,
    /// Through how many was looked.
    pub(super) looked_through: usize,
}

/// Looks for a text. Capitals make no difference.
pub(super) async fn find(
    api: &Local,
    filter: &TaskFilter,
    page: &PageQuery,
    text: &str,
) -> Result<Found, ApiError> {
    page.request()?;
    let text = text.to_lowercase();
    let (mut items, mut looked_through) = (Vec::new(), 0);
    let mut after = page.after.clone();
    // A page of the store may be short, or empty, for having looked at many that do not fit.
    for _ in 0..LOOKED_THROUGH / AT_A_TIME as usize {
        let part = api.tasks(filter, &PageQuery { limit: AT_A_TIME, after: after.clone() }).await?;
        let (read, next) = (part.items.len(), part.next);
        let room = (page.limit as usize).saturating_sub(items.len());
        let found = part.items.into_iter().enumerate().filter_map(|(place, task)| {
            says_openly(task, &text).map(|task| (place, without_documents(task)))
        });
        let found: Vec<_> = found.take(room).collect();
        let last = found.last().map_or(read, |(place, _)| place + 1);
        let is_full = found.len() == room;
        items.extend(found.into_iter().map(|(_, task)| task));
        looked_through += if is_full { last } else { read };
        if is_full && last < read {
            let next = place_behind(api, filter, after, last).await?;
            return Ok(Found { tasks: Page { items, next }, looked_through });
        }
        if is_full || next.is_none() || looked_through >= LOOKED_THROUGH {
            return Ok(Found { tasks: Page { items, next }, looked_through });
        }
        after = next;
    }
    Ok(Found { tasks: Page { items, next: after }, looked_through })
}

/// Where to go on behind so many tasks of a list.
async fn place_behind(
    api: &Local,
    filter: &TaskFilter,
    after: Option<Cursor>,
    tasks: usize,
) -> Result<Option<Cursor>, ApiError> {
    let limit = u32::try_from(tasks).unwrap_or(AT_A_TIME);
    Ok(api.rows(filter, &PageQuery { limit, after }).await?.next)
}

/// A table shows neither, and a page of them may be long.
fn without_documents(mut task: TaskView) -> TaskView {
    (task.payload, task.result) = (Value::Null, None);
    task
}

/// The task, if it says it where everybody may read it. What is masked is not found either: a guess
/// would be confirmed. Few say it at all, and only those are looked at for secrets.
fn says_openly(task: TaskView, text: &str) -> Option<TaskView> {
    if !says(&task, text) {
        return None;
    }
    let task = task.without_secrets(Redactor::installed());
    says(&task, text).then_some(task)
}

fn says(task: &TaskView, text: &str) -> bool {
    let named = [&task.category, &task.idempotency_key, &task.correlation_id];
    let named = named.into_iter().flatten().map(String::as_str);
    let error = task.last_error.as_ref().map(|error| error.message.as_str());
    let mut words = [task.kind.as_str(), task.queue.as_str()]
        .into_iter()
        .chain(named)
        .chain(error)
        .chain(task.policy.as_ref().and_then(|policy| policy.id()));
    let id = task.id.to_string();
    words.any(|word| has(word, text)) || id.contains(text) || within(&task.payload, text)
}

fn has(word: &str, text: &str) -> bool {
    word.to_lowercase().contains(text)
}

fn within(value: &Value, text: &str) -> bool {
    match value {
        Value::String(word) => has(word, text),
        Value::Array(values) => values.iter().any(|value| within(value, text)),
        Value::Object(fields) => {
            fields.iter().any(|(name, value)| has(name, text) || within(value, text))
        }
        Value::Number(number) => number.to_string().contains(text),
        Value::Null | Value::Bool(_) => false,
    }
}
