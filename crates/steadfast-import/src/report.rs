//! The result of an import: policies, name mappings, and unsupported settings.

use std::fmt;

use serde::{Serialize, Serializer};
use steadfast::policy::{Draft, PolicyError, Setting};

use super::{ImportFormat, policy_file};

/// The retry settings of one file, converted.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ImportReport {
    /// The format of the file.
    pub format: ImportFormat,
    /// The name of the file.
    pub file: String,
    /// The policies, each with its own id.
    pub policies: Vec<ImportedPolicy>,
    /// The names mapped to the policies.
    pub mappings: Vec<ImportedMapping>,
    /// The settings that could not be converted, or not exactly.
    pub unsupported: Vec<Unsupported>,
}

/// A policy as a list of fields.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ImportedPolicy {
    /// Its id.
    pub id: String,
    /// Fields of [`FIELDS`](steadfast::policy::FIELDS), or paths to them, and their values.
    #[serde(serialize_with = "as_map")]
    pub fields: Vec<(String, Setting)>,
}

/// A name mapped to a policy.
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

/// A setting that could not be converted, or not exactly. Displayed as
/// `28:7: methodConfig[2].hedgingPolicy: hedging is not supported; use a retryPolicy`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Unsupported {
    /// The line, from 1; `None` for a policy that is exported.
    pub line: Option<u32>,
    /// The column, from 1, in characters; `None` for a policy that is exported.
    pub column: Option<u32>,
    /// The path in the file, such as `methodConfig[0].hedgingPolicy`.
    pub path: String,
    /// The setting, or the part of its meaning, that is not supported.
    pub what: String,
    /// Why it is not supported, and what to do if it matters.
    pub reason: String,
}

fn as_map<S: Serializer>(fields: &[(String, Setting)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(fields.iter().map(|(field, value)| (field, value)))
}

impl ImportedPolicy {
    /// The value of a field, if it is set.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&Setting> {
        self.fields.iter().find(|(field, _)| field == name).map(|(_, value)| value)
    }

    /// The policy as a draft, to build or to change.
    ///
    /// # Errors
    /// Never for a policy returned by [`import`](super::import).
    pub fn draft(&self) -> Result<Draft, PolicyError> {
        let mut draft = Draft::new().id(self.id.as_str());
        for (field, value) in &self.fields {
            draft.set(field, value)?;
        }
        Ok(draft)
    }
}

impl ImportReport {
    /// The policy file with the same meaning; unsupported settings are comments in it.
    #[must_use]
    pub fn to_yaml(&self) -> String {
        policy_file::write(self)
    }
}

impl Unsupported {
    /// The setting and the reason, without the position and the path.
    #[must_use]
    pub fn sentence(&self) -> String {
        let Self { path, what, reason, .. } = self;
        match reason.starts_with("cannot ") {
            true => format!("{what} {reason}"),
            // The path of a whole setting already ends with its key.
            false if path.ends_with(what) => reason.clone(),
            false => format!("{what}: {reason}"),
        }
    }

    /// A feature of a policy that a format cannot express.
    pub(super) fn in_policies(
        path: impl Into<String>,
        what: impl Into<String>,
        reason: impl Into<String>,
    ) -> Self {
        let (path, what, reason) = (path.into(), what.into(), reason.into());
        Self { line: None, column: None, path, what, reason }
    }
}

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let (Some(line), Some(column)) = (self.line, self.column) {
            write!(f, "{line}:{column}: ")?;
        }
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        f.write_str(&self.sentence())
    }
}
