//! Keys of the writer's own, which begin with `x-`: what a program keeps beside its policies.
//!
//! A flag or a list of teams belongs to the version of the file that it stands in. Read from
//! there it changes with the policies, whole or not at all; read from the file a second time it
//! may be that of another version.

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::policies::Policies;
use super::problem::Problem;
use super::tree::Span;
use crate::policy::Setting;

/// A key of the writer's own.
#[derive(Clone, Debug)]
pub(crate) struct Own {
    pub(crate) key: String,
    pub(crate) value: Setting,
    /// Where the value stands.
    pub(crate) at: Span,
}

impl Own {
    /// As what it is read: a word is what it would be in JSON, or a text.
    pub(crate) fn json(&self) -> Value {
        json(&self.value)
    }
}

impl Policies {
    /// What the file says under a key of the writer's own, which begins with `x-`; nothing, if
    /// it says nothing there. A word without quotes is a number or a truth value if it can be.
    ///
    /// ```
    /// use steadfast::file::{Format, Policies, Source};
    ///
    /// let text = "version: '1.1.0'\nx-teams: [search, 7]\npolicies: {}\n";
    /// let policies = Policies::parse(&Source::new("steadfast.yaml", text), Format::Yaml)?;
    /// let teams: Option<(String, u32)> = policies.own("x-teams")?;
    /// assert_eq!(teams, Some(("search".to_owned(), 7)));
    /// assert_eq!(
    ///     policies.own::<Vec<u32>>("x-teams").unwrap_err().to_string(),
    ///     "steadfast.yaml:2:10: x-teams: invalid type: string \"search\", expected u32",
    /// );
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// It is not a `T`; the problem says where it stands.
    pub fn own<T: DeserializeOwned>(&self, key: &str) -> Result<Option<T>, Problem> {
        match self.owned(key).map(Own::json) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => serde_json::from_value(value)
                .map(Some)
                .map_err(|error| self.problem(key, error.to_string())),
        }
    }

    /// Something that is wrong with a key of the writer's own, where it stands: for a
    /// [check](crate::registry::Loader::check) to refuse the file with.
    #[must_use]
    pub fn problem(&self, key: &str, message: impl Into<String>) -> Problem {
        match self.owned(key) {
            Some(own) => Problem::at(&self.source, own.at, message),
            None => Problem::of_file(self.source.name(), message),
        }
        .field(key)
    }

    pub(crate) fn owned(&self, key: &str) -> Option<&Own> {
        self.own.iter().find(|own| own.key == key)
    }
}

fn json(setting: &Setting) -> Value {
    match setting {
        Setting::Word(word) => serde_json::from_str(word).unwrap_or_else(|_| word.as_str().into()),
        Setting::List(items) => items.iter().map(json).collect(),
        Setting::Map(fields) => {
            fields.iter().map(|(key, field)| (key.clone(), json(field))).collect()
        }
        Setting::Bool(_) | Setting::Number(_) | Setting::Text(_) | Setting::Null => {
            serde_json::to_value(setting).unwrap_or_default()
        }
    }
}
