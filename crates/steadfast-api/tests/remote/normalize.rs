//! What two answers have in common.

use serde::Serialize;
use serde_json::{Value, json};
use steadfast_api::ApiError;

/// Fields that differ between two stores, or between two who ask.
const OWN: [&str; 19] = [
    "id",
    "submitted_at",
    "scheduled_at",
    "last_attempt_at",
    "ended_at",
    "expires_at",
    "due_since",
    "next_due",
    "at",
    "now",
    "until",
    "seen_at",
    "lease_until",
    "earliest",
    "latest",
    "by",
    "target",
    "time_window_start",
    "time_window_end",
];

/// An answer or a refusal, without what is every store's own: whether it is there is kept.
pub(crate) fn common(answer: Result<impl Serialize, ApiError>) -> Value {
    let mut value = match answer {
        Ok(answer) => json!({"answer": serde_json::to_value(answer).unwrap()}),
        Err(refusal) => json!({"refusal": serde_json::to_value(refusal).unwrap()}),
    };
    bare(&mut value);
    value
}

fn bare(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                match OWN.contains(&name.as_str()) && !value.is_null() {
                    true => *value = json!("…"),
                    false => bare(value),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(bare),
        Value::String(text) => *text = without_ids(text),
        _ => {}
    }
}

/// Ids in the words of a refusal.
fn without_ids(text: &str) -> String {
    let is_id = |word: &str| word.len() == 36 && word.split('-').count() == 5;
    let words = text.split(' ').map(|word| {
        let bare = word.trim_matches(|letter: char| !letter.is_ascii_hexdigit());
        if is_id(bare) { word.replace(bare, "…") } else { word.to_owned() }
    });
    words.collect::<Vec<_>>().join(" ")
}
