//! Keeps secrets out of what is logged, told and recorded (O5).
//!
//! An error's words are written by others, and they quote what they were given:
//! a URL with its password, a header with its token. So every message, context
//! and name passes through a [`Redactor`] on its way out. It does not know what a
//! secret looks like, but it knows where secrets stand; the module `scan` lists
//! the places.

mod names;
mod records;
mod scan;
mod text;

use std::borrow::Cow;
use std::sync::OnceLock;

use serde_json::{Map, Value};

/// What stands in the place of a secret.
pub const MASK: &str = "***";

/// Takes secrets out of texts, contexts, events and records.
///
/// ```
/// use steadfast::observe::Redactor;
///
/// let redactor = Redactor::new().also("ssn");
/// let message = "cannot reach postgres://app:hunter2@db/main?ssn=078-05-1120";
/// assert_eq!(redactor.text(message), "cannot reach postgres://app:***@db/main?ssn=***");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Redactor {
    extra: Vec<String>,
    stack_traces: bool,
}

impl Redactor {
    /// One that knows the usual names of secrets: passwords, tokens, keys, cookies,
    /// `Authorization`, in every spelling.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// One more name whose value is a secret; case, `_` and `-` make no difference.
    #[must_use]
    pub fn also(mut self, key: &str) -> Self {
        let key = names::normal(key);
        if !key.is_empty() {
            self.extra.push(key);
        }
        self
    }

    /// Whether stack traces are let through, too: only in debug mode. Otherwise they are
    /// taken out.
    #[must_use]
    pub fn stack_traces(mut self, keep: bool) -> Self {
        self.stack_traces = keep;
        self
    }

    /// Makes this the redactor of the whole program: of its log, and of every
    /// [`Recorder`](super::Recorder) that was not given another. The first one stays; says
    /// whether it is this.
    ///
    /// ```
    /// use steadfast::observe::Redactor;
    ///
    /// assert!(Redactor::new().also("pin").install());
    /// assert!(!Redactor::installed().text("pin=1234").contains("1234"));
    /// ```
    pub fn install(self) -> bool {
        INSTALLED.set(self).is_ok()
    }

    /// The redactor of the whole program.
    #[must_use]
    pub fn installed() -> &'static Self {
        static USUAL: Redactor = Redactor { extra: Vec::new(), stack_traces: false };
        INSTALLED.get().unwrap_or(&USUAL)
    }

    /// The text without its secrets, in one pass over it. A second one changes nothing.
    #[must_use]
    pub fn text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        scan::clean(text, &self.extra)
    }

    /// Takes the secrets out of a text.
    pub fn clean(&self, text: &mut String) {
        if let Cow::Owned(clean) = self.text(text) {
            *text = clean;
        }
    }

    /// Takes the secrets out of a context.
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

/// Whether something is there, and whether it is on, is no secret.
fn mask(value: &mut Value) {
    if !matches!(value, Value::Null | Value::Bool(_)) {
        *value = Value::String(MASK.to_owned());
    }
}

static INSTALLED: OnceLock<Redactor> = OnceLock::new();
