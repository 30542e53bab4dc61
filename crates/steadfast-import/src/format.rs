//! The formats that can be imported.

use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};
use steadfast::__private::nearest;
use steadfast::file::Source;

use super::names::excerpt;
use super::reader::Reader;

/// Defines the formats: each is a feature of that name, with its importer, its description, and the
/// names of settings by which its files are detected.
macro_rules! formats {
    ($($(#[$doc:meta])* $feature:literal $variant:ident $read:path, $about:literal, $markers:expr;)*) => {
        /// A format of retry settings.
        ///
        /// ```
        /// use steadfast_import::ImportFormat;
        ///
        /// assert_eq!("envoy".parse(), Ok(ImportFormat::Envoy));
        /// let error = "resilience4".parse::<ImportFormat>().unwrap_err();
        /// assert!(error.to_string().ends_with("did you mean `resilience4j`?"));
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum ImportFormat {
            $($(#[$doc])* #[cfg(feature = $feature)] $variant,)*
        }

        impl ImportFormat {
            const COUNT: usize = 0 $(+ cfg!(feature = $feature) as usize)*;

            /// Every format whose feature is on.
            pub const ALL: [Self; Self::COUNT] =
                [$(#[cfg(feature = $feature)] Self::$variant,)*];

            /// Its name in commands.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(#[cfg(feature = $feature)] Self::$variant => $feature,)*
                }
            }

            /// A short description.
            #[must_use]
            pub const fn about(self) -> &'static str {
                match self {
                    $(#[cfg(feature = $feature)] Self::$variant => $about,)*
                }
            }

            const fn markers(self) -> &'static [&'static str] {
                match self {
                    $(#[cfg(feature = $feature)] Self::$variant => &$markers,)*
                }
            }

            pub(super) fn read(self, reader: &mut Reader<'_>) {
                match self {
                    $(#[cfg(feature = $feature)] Self::$variant => $read(reader),)*
                }
            }
        }
    };
}

formats! {
    /// MicroProfile and SmallRye fault tolerance, as properties.
    "microprofile" MicroProfile crate::microprofile::read,
        "MicroProfile and SmallRye fault tolerance (properties)",
        ["smallrye.faulttolerance", "quarkus.fault-tolerance", "Retry/", "CircuitBreaker/"];
    /// The nodes of a workflow engine, as JSON.
    "workflow" Workflow crate::workflow::read,
        "nodes of a Steadfast workflow, with retry settings such as maxAttempts (JSON)",
        ["retry_strategy", "exponential_backoff", "fixed_delay", "custom_schedule",
         "customSchedule", "initialDelaySeconds", "initial_delay_seconds", "nodeId"];
    /// A client library's settings, as Ruby, YAML or JSON.
    "client" Client crate::client::read,
        "any client with max_retries, initial_backoff, max_backoff (Ruby, YAML or JSON)",
        crate::client::SETTINGS;
    /// gRPC's service config, as JSON.
    "grpc" GrpcServiceConfig crate::grpc::read,
        "gRPC service config (JSON)",
        ["methodConfig", "retryPolicy", "retryThrottling", "retryableStatusCodes"];
    /// Resilience4j under Spring, as YAML.
    "resilience4j" Resilience4j crate::resilience4j::read,
        "Resilience4j (YAML)",
        ["resilience4j", "waitDuration", "wait-duration", "enableExponentialBackoff"];
    /// AWS Step Functions: a state machine, or its `Retry` alone.
    "step-functions" StepFunctions crate::step_functions::read,
        "AWS Step Functions Retry (JSON or YAML)",
        ["ErrorEquals", "IntervalSeconds", "BackoffRate", "StartAt", "States."];
    /// Envoy's routes, or their retry policy alone, as YAML or JSON.
    "envoy" Envoy crate::envoy::read,
        "Envoy route retry policy (YAML or JSON)",
        ["retry_policy", "virtual_hosts", "num_retries", "per_try_timeout", "retry_back_off"];
}

impl ImportFormat {
    /// Whether the format encodes numbers and booleans as strings: Spring and Protocol Buffers
    /// accept them in quotes, and properties have only strings.
    pub(super) fn has_quoted_scalars(self) -> bool {
        matches!(self.name(), "microprofile" | "resilience4j" | "envoy")
    }

    /// Whether keys may be written in camel, kebab or snake case.
    pub(super) fn has_relaxed_keys(self) -> bool {
        matches!(self.name(), "workflow" | "resilience4j" | "envoy")
    }

    /// Detects the format of a text: the one with the most of its characteristic names in it. The
    /// text is not parsed, so a malformed file still gets the error messages of its own format.
    #[must_use]
    pub fn detect(source: &Source) -> Option<Self> {
        let found = |format: Self| {
            format.markers().iter().filter(|marker| source.text().contains(**marker)).count()
        };
        // Of several maxima, the first.
        Self::ALL.into_iter().rev().filter(|format| found(*format) > 0).max_by_key(|it| found(*it))
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
            Some(near) => write!(f, "; did you mean `{near}`?"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for UnknownFormatError {}

impl FromStr for ImportFormat {
    type Err = UnknownFormatError;

    fn from_str(name: &str) -> Result<Self, UnknownFormatError> {
        let found = Self::ALL.into_iter().find(|format| format.name() == name);
        found.ok_or_else(|| UnknownFormatError { name: excerpt(name) })
    }
}
