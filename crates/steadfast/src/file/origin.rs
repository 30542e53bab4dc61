//! The origin of a policy's value (F3).
//!
//! The values of a policy come from five layers; each value records the one that set it.

use std::fmt;

use serde::{Serialize, Serializer};

use super::Source;
use super::tree::Span;

/// The layers, from lowest to highest precedence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Layer {
    /// The built-in default.
    BuiltIn,
    /// The file's `global_defaults`.
    GlobalDefaults,
    /// The policy in the file.
    Policy,
    /// The environment.
    Environment,
    /// The application code.
    Code,
}

/// The origin of a value. Displayed as `steadfast.yaml:12`, `env STEADFAST_ENABLED`, `code` or
/// `built-in`.
#[derive(Clone, Debug)]
pub struct Origin(Kind);

#[derive(Clone, Debug)]
enum Kind {
    BuiltIn,
    File { layer: Layer, source: Source, at: Span },
    Environment(String),
    Code,
}

impl Origin {
    pub(crate) const BUILT_IN: Self = Self(Kind::BuiltIn);
    pub(crate) const CODE: Self = Self(Kind::Code);

    pub(crate) fn file(layer: Layer, source: &Source, at: Span) -> Self {
        Self(Kind::File { layer, source: source.clone(), at })
    }

    pub(crate) fn environment(variable: impl Into<String>) -> Self {
        Self(Kind::Environment(variable.into()))
    }

    /// Its layer.
    #[must_use]
    pub fn layer(&self) -> Layer {
        match &self.0 {
            Kind::BuiltIn => Layer::BuiltIn,
            Kind::File { layer, .. } => *layer,
            Kind::Environment(_) => Layer::Environment,
            Kind::Code => Layer::Code,
        }
    }

    pub(crate) fn location(&self) -> Option<(&Source, Span)> {
        match &self.0 {
            Kind::File { source, at, .. } => Some((source, *at)),
            _ => None,
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::BuiltIn => f.write_str("built-in"),
            Kind::File { source, at, .. } => {
                write!(f, "{}:{}", source.name(), source.position(at.range().start).line)
            }
            Kind::Environment(variable) => write!(f, "env {variable}"),
            Kind::Code => f.write_str("code"),
        }
    }
}

impl Serialize for Origin {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
