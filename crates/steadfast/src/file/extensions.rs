//! Extension keys (`x-…`): an application's own settings in the policy file.
//!
//! A setting read from here belongs to the same version of the file as the policies and changes
//! with them atomically. An application that reads the file itself may see another version.

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::policies::Policies;
use super::problem::Problem;
use super::serde_words::JsonError;
use super::tree::Span;
use crate::policy::Setting;

#[derive(Clone, Debug)]
pub(crate) struct Extension {
    pub(crate) key: String,
    pub(crate) value: Setting,
    /// The span of the value.
    pub(crate) at: Span,
}

impl Extension {
    /// The value as JSON; a plain scalar is parsed as JSON, or else a string.
    pub(crate) fn json(&self) -> Value {
        json(&self.value)
    }
}

impl Policies {
    /// The value of an extension key, which starts with `x-`; `None` if it is absent or null. An
    /// unquoted scalar is a number or boolean if possible.
    ///
    /// ```
    /// use steadfast::file::{Format, Policies, Source};
    ///
    /// let text = "version: '1.1.0'\nx-teams: [search, 7]\npolicies: {}\n";
    /// let policies = Policies::parse(&Source::new("steadfast.yaml", text), Format::Yaml)?;
    /// let teams: Option<(String, u32)> = policies.extension("x-teams")?;
    /// assert_eq!(teams, Some(("search".to_owned(), 7)));
    /// assert_eq!(
    ///     policies.extension::<Vec<u32>>("x-teams").unwrap_err().to_string(),
    ///     "steadfast.yaml:2:10: x-teams: expected a whole number from 0 to 4294967295, not \"search\"",
    /// );
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// It is not a `T`; the problem has its position.
    pub fn extension<T: DeserializeOwned>(&self, key: &str) -> Result<Option<T>, Problem> {
        match self.find_extension(key).map(Extension::json) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => serde_json::from_value(value)
                .map(Some)
                .map_err(|error| self.problem(key, JsonError::of(&error).message)),
        }
    }

    /// A problem with an extension key, at its position: for a
    /// [check](crate::registry::Loader::check) that rejects the file.
    #[must_use]
    pub fn problem(&self, key: &str, message: impl Into<String>) -> Problem {
        match self.find_extension(key) {
            Some(extension) => Problem::at(&self.source, extension.at, message),
            None => Problem::of_file(self.source.name(), message),
        }
        .field(key)
    }

    pub(crate) fn find_extension(&self, key: &str) -> Option<&Extension> {
        self.extensions.iter().find(|extension| extension.key == key)
    }
}

fn json(setting: &Setting) -> Value {
    match setting {
        Setting::Word(plain) => {
            serde_json::from_str(plain).unwrap_or_else(|_| plain.as_str().into())
        }
        Setting::List(items) => items.iter().map(json).collect(),
        Setting::Map(fields) => {
            fields.iter().map(|(key, field)| (key.clone(), json(field))).collect()
        }
        Setting::Bool(_) | Setting::Number(_) | Setting::Text(_) | Setting::Null => {
            serde_json::to_value(setting).unwrap_or_default()
        }
    }
}
