//! Redaction of JSON values, by the names of their fields.

use serde_json::{Map, Value};

use super::{MASK, Redactor, names};

impl Redactor {
    /// Redacts a JSON value in place.
    ///
    /// ```
    /// use serde_json::json;
    /// use steadfast::observe::Redactor;
    ///
    /// let mut context = json!({"user": "u1", "api_key": "k1", "url": "https://a:b@host/"});
    /// Redactor::new().value(&mut context);
    /// assert_eq!(context, json!({"user": "u1", "api_key": "***", "url": "https://a:***@host/"}));
    /// ```
    pub fn value(&self, value: &mut Value) {
        match value {
            Value::String(text) => self.clean(text),
            Value::Object(map) => self.map(map),
            Value::Array(items) => self.items(items),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    pub(super) fn map(&self, map: &mut Map<String, Value>) {
        // `{"name": "Authorization", "value": "…"}` is a pair as well.
        let named = ["name", "key", "header"].iter().any(|field| self.is_name(map.get(*field)));
        for (key, value) in map.iter_mut() {
            if self.is_secret(key) || named && key.eq_ignore_ascii_case("value") {
                mask(value);
            } else {
                self.value(value);
            }
        }
    }

    /// A list of two may be a pair: `["Authorization", "…"]`.
    fn items(&self, items: &mut [Value]) {
        if let [name, value] = items
            && self.is_name(Some(name))
        {
            mask(value);
            return;
        }
        for item in items {
            self.value(item);
        }
    }

    fn is_name(&self, value: Option<&Value>) -> bool {
        value.and_then(Value::as_str).is_some_and(|name| self.is_secret(name))
    }

    fn is_secret(&self, name: &str) -> bool {
        names::is_secret(name, &self.extra)
    }
}

/// Masks a value. Null and booleans are not secret.
fn mask(value: &mut Value) {
    if !matches!(value, Value::Null | Value::Bool(_)) {
        *value = Value::String(MASK.to_owned());
    }
}
