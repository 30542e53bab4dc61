//! Redaction of a call's secrets in error messages (O5).
//!
//! The redactor finds secrets by their position in a text, such as `token=…`. But a server or a
//! program quotes them anywhere: "no such token: s3cr3t". So the values that were sent are also masked
//! wherever they occur.

use serde_json::{Map, Value};
use steadfast::observe::{MASK, Redactor};

/// The secrets of one call.
#[derive(Clone, Default)]
pub(super) struct Secrets(Vec<String>);

impl Secrets {
    /// Masking a shorter value would make the rest of the text unreadable.
    const MIN_LENGTH: usize = 4;

    /// Adds the value if its name or its form marks it as secret.
    pub(super) fn add_named(&mut self, name: &str, value: &str) {
        let mut pair = Value::from(Map::from_iter([(name.to_owned(), Value::from(value))]));
        Redactor::installed().value(&mut pair);
        if pair.get(name).and_then(Value::as_str) == Some(value) {
            return;
        }
        self.add(value);
        // `Bearer s3cr3t` is often quoted without its scheme.
        if let Some((_, last)) = value.rsplit_once(' ') {
            self.add(last);
        }
    }

    /// Adds a value that is secret whatever its name.
    pub(super) fn add(&mut self, value: &str) {
        if value.len() >= Self::MIN_LENGTH && !self.0.iter().any(|known| known == value) {
            self.0.push(value.to_owned());
        }
    }

    /// Masks these secrets, and whatever else looks like one.
    pub(super) fn redact(&self, text: &str) -> String {
        let mut text = text.to_owned();
        // The longest first: one may be part of another.
        let mut secrets: Vec<_> = self.0.iter().collect();
        secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        for secret in secrets {
            if text.contains(secret.as_str()) {
                text = text.replace(secret.as_str(), MASK);
            }
        }
        Redactor::installed().clean(&mut text);
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// O5: a secret is masked wherever it is quoted; other text stays.
    #[test]
    fn secret_quoted_in_a_message_is_masked() {
        let mut secrets = Secrets::default();
        secrets.add_named("Authorization", "Bearer tomato-7");
        secrets.add_named("X-Api-Key", "cabbage-9");
        secrets.add_named("Accept", "text/plain");
        secrets.add("/hooks/T0/B0");
        let text = "no text/plain for tomato-7 with cabbage-9 at /hooks/T0/B0, password=leek";
        let redacted = "no text/plain for *** with *** at ***, password=***";
        assert_eq!(secrets.redact(text), redacted);
    }

    #[test]
    fn secret_below_the_minimum_length_is_not_masked() {
        let mut secrets = Secrets::default();
        secrets.add_named("token", "a");
        assert_eq!(secrets.redact("a banana"), "a banana");
    }
}
