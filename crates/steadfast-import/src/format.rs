//! The systems whose settings are understood.

use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};

use super::guess;
use steadfast::file::Source;
use steadfast::nearest;

/// A system whose retry settings can be read.
///
/// ```
/// use steadfast_import::ForeignFormat;
///
/// assert_eq!("envoy".parse(), Ok(ForeignFormat::Envoy));
/// let error = "resilience4".parse::<ForeignFormat>().unwrap_err();
/// assert!(error.to_string().ends_with("did you mean resilience4j?"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ForeignFormat {
    /// MicroProfile and SmallRye fault tolerance, as properties.
    MicroProfile,
    /// The nodes of a workflow engine, as JSON.
    Workflow,
    /// A client library's settings, as Ruby, YAML or JSON.
    Client,
    /// gRPC's service config, as JSON.
    GrpcServiceConfig,
    /// Resilience4j under Spring, as YAML.
    Resilience4j,
    /// AWS Step Functions: a state machine, or its `Retry` alone.
    StepFunctions,
    /// Envoy's routes, or their retry policy alone, as YAML or JSON.
    Envoy,
}

impl ForeignFormat {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::MicroProfile,
        Self::Workflow,
        Self::Client,
        Self::GrpcServiceConfig,
        Self::Resilience4j,
        Self::StepFunctions,
        Self::Envoy,
    ];

    /// Its name in commands.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::MicroProfile => "microprofile",
            Self::Workflow => "workflow",
            Self::Client => "client",
            Self::GrpcServiceConfig => "grpc",
            Self::Resilience4j => "resilience4j",
            Self::StepFunctions => "step-functions",
            Self::Envoy => "envoy",
        }
    }

    /// What it is, in a few words.
    #[must_use]
    pub const fn about(self) -> &'static str {
        match self {
            Self::MicroProfile => "MicroProfile and SmallRye fault tolerance (properties)",
            Self::Workflow => "workflow nodes (JSON)",
            Self::Client => "a client library (Ruby, YAML or JSON)",
            Self::GrpcServiceConfig => "gRPC service config (JSON)",
            Self::Resilience4j => "Resilience4j (YAML)",
            Self::StepFunctions => "AWS Step Functions Retry (JSON or YAML)",
            Self::Envoy => "Envoy route retry policy (YAML or JSON)",
        }
    }

    /// The system that a text is of, by the names of its settings.
    #[must_use]
    pub fn guess(source: &Source) -> Option<Self> {
        guess::guess(source.text())
    }
}

impl Serialize for ForeignFormat {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.name())
    }
}

impl fmt::Display for ForeignFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that no system has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownForeignFormat {
    name: String,
}

impl fmt::Display for UnknownForeignFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = ForeignFormat::ALL.map(ForeignFormat::name);
        write!(f, "`{}` is none of {}", self.name, names.join(", "))?;
        match nearest(&self.name, names) {
            Some(near) => write!(f, "; did you mean {near}?"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for UnknownForeignFormat {}

impl FromStr for ForeignFormat {
    type Err = UnknownForeignFormat;

    fn from_str(name: &str) -> Result<Self, UnknownForeignFormat> {
        let known = Self::ALL.into_iter().find(|format| format.name() == name);
        known.ok_or_else(|| UnknownForeignFormat { name: super::names::shown(name) })
    }
}
