//! What was read: policies, the names that lead to them, and what was lost on the way.

use std::fmt;

use serde::{Serialize, Serializer};

use super::{ForeignFormat, yaml};
use steadfast::policy::{Draft, PolicyError, Setting};

/// Everything that a foreign file says about retrying.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Imported {
    /// The system that it came from.
    pub format: ForeignFormat,
    /// The file that it came from.
    pub file: String,
    /// The policies, each with an id of its own.
    pub policies: Vec<ImportedPolicy>,
    /// The names that lead to them.
    pub mappings: Vec<ImportedMapping>,
    /// What could not be carried over.
    pub lost: Vec<Lost>,
}

/// A policy by the names of its fields.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ImportedPolicy {
    /// Its id.
    pub id: String,
    /// Fields of [`FIELDS`](steadfast::policy::FIELDS), or paths to them, and their values.
    #[serde(serialize_with = "as_map")]
    pub fields: Vec<(String, Setting)>,
}

/// A name that leads to a policy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ImportedMapping {
    /// The first part of the name.
    pub subsystem: String,
    /// The second part.
    pub operation: String,
    /// The third part, or `default`.
    pub case: String,
    /// The policy's id.
    pub policy: String,
}

/// Something that could not be carried over, or not exactly: reads as
/// `28:7: methodConfig[2].hedgingPolicy: attempts do not overlap here; write a retryPolicy`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Lost {
    /// The line, from 1, if it is about a place.
    pub line: Option<u32>,
    /// The column, from 1, in characters, if it is about a place.
    pub column: Option<u32>,
    /// The way there in the file, such as `methodConfig[0].hedgingPolicy`.
    pub path: String,
    /// What was lost.
    pub what: String,
    /// Why, and what to do if it matters.
    pub why: String,
}

fn as_map<S: Serializer>(fields: &[(String, Setting)], to: S) -> Result<S::Ok, S::Error> {
    to.collect_map(fields.iter().map(|(field, value)| (field, value)))
}

impl ImportedPolicy {
    /// The value of a field, if it has one.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&Setting> {
        self.fields.iter().find(|(field, _)| field == name).map(|(_, value)| value)
    }

    /// The same as a draft, to build a policy of or to change.
    ///
    /// # Errors
    /// Never for a policy that [`import`](super::import) gave.
    pub fn draft(&self) -> Result<Draft, PolicyError> {
        let mut draft = Draft::new().id(self.id.as_str());
        for (field, value) in &self.fields {
            draft.set(field, value)?;
        }
        Ok(draft)
    }
}

impl Imported {
    /// A policy file that says the same, with what was lost in its comments.
    #[must_use]
    pub fn to_yaml(&self) -> String {
        yaml::write(self)
    }
}

impl Lost {
    /// Something of a policy file, which has no place here.
    pub(super) fn of_policies(
        path: impl Into<String>,
        what: impl Into<String>,
        why: impl Into<String>,
    ) -> Self {
        Self { line: None, column: None, path: path.into(), what: what.into(), why: why.into() }
    }
}

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let (Some(line), Some(column)) = (self.line, self.column) {
            write!(f, "{line}:{column}: ")?;
        }
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        // The path ends with the key of what is lost as a whole.
        if !self.path.ends_with(&self.what) {
            write!(f, "{}: ", self.what)?;
        }
        f.write_str(&self.why)
    }
}
