//! Tasks that say something.
//!
//! A store finds tasks by what it has an order for, and words are not that: to look through a
//! million payloads takes as long as it takes. So a page looks through some thousands of the
//! newest, says so, and goes on from there if somebody wants it to.

use serde_json::Value;
use steadfast::observe::Redactor;
use steadfast_api::{Api, ApiError, Local, Page, PageQuery, TaskFilter, TaskView};

/// How many are looked through for one page.
const LOOKED_THROUGH: usize = 3_000;
/// How many are read at a time.
const AT_A_TIME: u32 = 250;
/// A page that has so many is full.
const FULL: usize = 50;

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
    let text = text.to_lowercase();
    let mut found =
        Found { tasks: Page { items: Vec::new(), next: page.after.clone() }, looked_through: 0 };
    loop {
        let after = found.tasks.next.take();
        let Page { items, next } =
            api.tasks(filter, &PageQuery { limit: AT_A_TIME, after }).await?;
        found.looked_through += items.len();
        // What is masked is not found either: a guess would be confirmed.
        let shown = items.into_iter().map(|task| task.without_secrets(Redactor::installed()));
        found.tasks.items.extend(shown.filter(|task| says(task, &text)));
        found.tasks.next = next;
        let is_enough = found.tasks.items.len() >= FULL || found.looked_through >= LOOKED_THROUGH;
        if is_enough || found.tasks.next.is_none() {
            return Ok(found);
        }
    }
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
