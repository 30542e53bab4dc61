//! The formats that can be imported.

use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};
use steadfast::file::Source;
use steadfast::nearest;

use super::detect;

/// A format of retry settings.
///
/// ```
/// use steadfast_import::ImportFormat;
///
/// assert_eq!("envoy".parse(), Ok(ImportFormat::Envoy));
/// let error = "resilience4".parse::<ImportFormat>().unwrap_err();
/// assert!(error.to_string().ends_with("did you mean resilience4j?"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ImportFormat {
    /// MicroProfile and SmallRye fault tolerance, as properties.
    #[cfg(feature = "microprofile")]
    MicroProfile,
    /// The nodes of a workflow engine, as JSON.
    #[cfg(feature = "workflow")]
    Workflow,
    /// A client library's settings, as Ruby, YAML or JSON.
    #[cfg(feature = "client")]
    Client,
    /// gRPC's service config, as JSON.
    #[cfg(feature = "grpc")]
    GrpcServiceConfig,
    /// Resilience4j under Spring, as YAML.
    #[cfg(feature = "resilience4j")]
    Resilience4j,
    /// AWS Step Functions: a state machine, or its `Retry` alone.
    #[cfg(feature = "step-functions")]
    StepFunctions,
    /// Envoy's routes, or their retry policy alone, as YAML or JSON.
    #[cfg(feature = "envoy")]
    Envoy,
}

impl ImportFormat {
    const COUNT: usize = cfg!(feature = "microprofile") as usize
        + cfg!(feature = "workflow") as usize
        + cfg!(feature = "client") as usize
        + cfg!(feature = "grpc") as usize
        + cfg!(feature = "resilience4j") as usize
        + cfg!(feature = "step-functions") as usize
        + cfg!(feature = "envoy") as usize;

    /// Every format whose feature is on.
    pub const ALL: [Self; Self::COUNT] = [
        #[cfg(feature = "microprofile")]
        Self::MicroProfile,
        #[cfg(feature = "workflow")]
        Self::Workflow,
        #[cfg(feature = "client")]
        Self::Client,
        #[cfg(feature = "grpc")]
        Self::GrpcServiceConfig,
        #[cfg(feature = "resilience4j")]
        Self::Resilience4j,
        #[cfg(feature = "step-functions")]
        Self::StepFunctions,
        #[cfg(feature = "envoy")]
        Self::Envoy,
    ];

    /// Its name in commands.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            #[cfg(feature = "microprofile")]
            Self::MicroProfile => "microprofile",
            #[cfg(feature = "workflow")]
            Self::Workflow => "workflow",
            #[cfg(feature = "client")]
            Self::Client => "client",
            #[cfg(feature = "grpc")]
            Self::GrpcServiceConfig => "grpc",
            #[cfg(feature = "resilience4j")]
            Self::Resilience4j => "resilience4j",
            #[cfg(feature = "step-functions")]
            Self::StepFunctions => "step-functions",
            #[cfg(feature = "envoy")]
            Self::Envoy => "envoy",
        }
    }

    /// A short description.
    #[must_use]
    pub const fn about(self) -> &'static str {
        match self {
            #[cfg(feature = "microprofile")]
            Self::MicroProfile => "MicroProfile and SmallRye fault tolerance (properties)",
            #[cfg(feature = "workflow")]
            Self::Workflow => "workflow nodes (JSON)",
            #[cfg(feature = "client")]
            Self::Client => "a client library (Ruby, YAML or JSON)",
            #[cfg(feature = "grpc")]
            Self::GrpcServiceConfig => "gRPC service config (JSON)",
            #[cfg(feature = "resilience4j")]
            Self::Resilience4j => "Resilience4j (YAML)",
            #[cfg(feature = "step-functions")]
            Self::StepFunctions => "AWS Step Functions Retry (JSON or YAML)",
            #[cfg(feature = "envoy")]
            Self::Envoy => "Envoy route retry policy (YAML or JSON)",
        }
    }

    /// Whether the format encodes numbers and booleans as strings: Spring and Protocol Buffers
    /// accept them in quotes, and properties have only strings.
    pub(super) fn has_quoted_scalars(self) -> bool {
        matches!(self.name(), "microprofile" | "resilience4j" | "envoy")
    }

    /// Detects the format of a text by the names of its settings.
    #[must_use]
    pub fn detect(source: &Source) -> Option<Self> {
        detect::detect(source.text())
    }
}

impl Serialize for ImportFormat {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl fmt::Display for ImportFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// An unknown format name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownFormatError {
    name: String,
}

impl fmt::Display for UnknownFormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = ImportFormat::ALL.map(ImportFormat::name);
        write!(f, "`{}` is not one of {}", self.name, names.join(", "))?;
        match nearest(&self.name, names) {
            Some(near) => write!(f, "; did you mean {near}?"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for UnknownFormatError {}

impl FromStr for ImportFormat {
    type Err = UnknownFormatError;

    fn from_str(name: &str) -> Result<Self, UnknownFormatError> {
        let found = Self::ALL.into_iter().find(|format| format.name() == name);
        found.ok_or_else(|| UnknownFormatError { name: super::names::excerpt(name) })
    }
}
