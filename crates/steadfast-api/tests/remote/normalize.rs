//! Responses without the values that differ between stores.

use serde::Serialize;
use serde_json::{Value, json};
use steadfast_api::ApiError;

/// Fields that differ between two stores, or between two actors.
const VARYING_FIELDS: [&str; 19] = [
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
    "actor",
    "target",
    "time_window_start",
    "time_window_end",
];

/// A response or an error with the varying values replaced, unless they are null.
pub(crate) fn normalized(response: Result<impl Serialize, ApiError>) -> Value {
    let mut value = match response {
        Ok(response) => json!({"response": serde_json::to_value(response).unwrap()}),
        Err(error) => json!({"rejection": serde_json::to_value(error).unwrap()}),
    };
    replace_varying(&mut value);
    value
}

fn replace_varying(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                match VARYING_FIELDS.contains(&name.as_str()) && !value.is_null() {
                    true => *value = json!("…"),
                    false => replace_varying(value),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(replace_varying),
        Value::String(text) => *text = without_ids(text),
        _ => {}
    }
}

/// Replaces ids in an error message.
fn without_ids(text: &str) -> String {
    let is_id = |word: &str| word.len() == 36 && word.split('-').count() == 5;
    let words = text.split(' ').map(|word| {
        let bare = word.trim_matches(|letter: char| !letter.is_ascii_hexdigit());
        if is_id(bare) { word.replace(bare, "…") } else { word.to_owned() }
    });
    words.collect::<Vec<_>>().join(" ")
}
