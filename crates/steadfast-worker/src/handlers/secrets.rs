//! Keeps what a call was given in confidence out of what is told about it (O5).
//!
//! The redactor knows where secrets stand in a text. But a server or a program quotes them
//! anywhere: "no such token: s3cr3t". What was sent is known here, so it is looked for by its
//! own letters, too.

use serde_json::{Map, Value};
use steadfast::observe::{MASK, Redactor};

/// The secrets of one call.
#[derive(Clone, Default)]
pub(super) struct Secrets(Vec<String>);

impl Secrets {
    /// Shorter ones hide nothing, and masking them would hide the rest of the text.
    const SHORTEST: usize = 4;

    /// Remembers the value if the name, or its form, says that it is secret.
    pub(super) fn named(&mut self, name: &str, value: &str) {
        let mut pair = Value::from(Map::from_iter([(name.to_owned(), Value::from(value))]));
        Redactor::installed().value(&mut pair);
        if pair.get(name).and_then(Value::as_str) == Some(value) {
            return;
        }
        self.always(value);
        // `Bearer s3cr3t`: quoted without its scheme, as often as not.
        if let Some((_, last)) = value.rsplit_once(' ') {
            self.always(last);
        }
    }

    /// Remembers a value that is secret whatever it is called.
    pub(super) fn always(&mut self, value: &str) {
        if value.len() >= Self::SHORTEST && !self.0.iter().any(|known| known == value) {
            self.0.push(value.to_owned());
        }
    }

    /// The text without them, and without whatever else looks like a secret.
    pub(super) fn hidden(&self, text: &str) -> String {
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

    /// O5: a secret is hidden wherever it is quoted; what is none stays.
    #[test]
    fn what_was_sent_in_confidence_is_not_told() {
        let mut secrets = Secrets::default();
        secrets.named("Authorization", "Bearer tomato-7");
        secrets.named("X-Api-Key", "cabbage-9");
        secrets.named("Accept", "text/plain");
        secrets.always("/hooks/T0/B0");
        let text = "no text/plain for tomato-7 with cabbage-9 at /hooks/T0/B0, password=leek";
        let hidden = "no text/plain for *** with *** at ***, password=***";
        assert_eq!(secrets.hidden(text), hidden);
    }

    #[test]
    fn a_secret_of_a_letter_hides_nothing() {
        let mut secrets = Secrets::default();
        secrets.named("token", "a");
        assert_eq!(secrets.hidden("a banana"), "a banana");
    }
}
