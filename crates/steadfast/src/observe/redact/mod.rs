//! Redaction of secrets in logs, events and records (O5).
//!
//! Error messages quote their input: a URL with its password, a header with its token. Every
//! message, context and name therefore passes through a [`Redactor`]. It finds secrets by their
//! position, not by their form; the module `scan` lists the patterns.

#[cfg(feature = "record")]
mod json;
mod names;
#[cfg(feature = "record")]
mod records;
mod scan;
mod text;

use std::borrow::Cow;
use std::sync::OnceLock;

/// The replacement of a secret.
pub const MASK: &str = "***";

/// Redacts secrets in texts, contexts, events and records.
///
/// ```
/// use steadfast::observe::Redactor;
///
/// let redactor = Redactor::new().also("ssn");
/// let message = "cannot reach postgres://app:hunter2@db/main?ssn=078-05-1120";
/// assert_eq!(redactor.text(message), "cannot reach postgres://app:***@db/main?ssn=***");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use]
pub struct Redactor {
    extra: Vec<String>,
    stack_traces: bool,
}

impl Redactor {
    /// A redactor for the usual names of secrets: passwords, tokens, keys, cookies,
    /// `Authorization`, in every spelling.
    pub fn new() -> Self {
        Self::default()
    }

    /// Also redacts the values of this name, ignoring case, `_` and `-`.
    pub fn also(mut self, key: &str) -> Self {
        let key = names::normal(key);
        if !key.is_empty() {
            self.extra.push(key);
        }
        self
    }

    /// Whether to include stack traces, as in debug mode; default: no.
    pub fn stack_traces(mut self, include: bool) -> Self {
        self.stack_traces = include;
        self
    }

    /// Installs this redactor for the process: for its log, and for every
    /// [`Recorder`](super::Recorder) without its own. Only the first call has an effect. Returns
    /// whether this was it.
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

    /// The installed redactor, or the default one.
    pub fn installed() -> &'static Self {
        static DEFAULT: Redactor = Redactor { extra: Vec::new(), stack_traces: false };
        INSTALLED.get().unwrap_or(&DEFAULT)
    }

    /// The redacted text. Redaction is idempotent.
    #[must_use]
    pub fn text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        scan::clean(text, &self.extra)
    }

    /// Redacts a text in place.
    pub fn clean(&self, text: &mut String) {
        if let Cow::Owned(clean) = self.text(text) {
            *text = clean;
        }
    }
}

static INSTALLED: OnceLock<Redactor> = OnceLock::new();
