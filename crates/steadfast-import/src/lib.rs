//! Importers and exporters for the retry settings of other systems (F5).
//!
//! Settings in production carry knowledge that took outages to gain. A conversion must preserve
//! their meaning, not only their numbers: three retries may be four attempts, a bare 500 may be
//! milliseconds, a first delay may be the second one. Each format has a module that knows what its
//! settings mean. Every setting that a policy cannot express is [reported](Unsupported) with its
//! position; none is dropped silently. Invalid input is rejected as a whole, with all its problems.
//!
//! ```
//! use steadfast::file::Source;
//! use steadfast_import::{ImportFormat, import};
//!
//! let text = r#"[{"ErrorEquals": ["States.Timeout"], "IntervalSeconds": 3, "MaxAttempts": 2}]"#;
//! let source = Source::new("retry.json", text);
//! assert_eq!(ImportFormat::detect(&source), Some(ImportFormat::StepFunctions));
//!
//! let report = import(ImportFormat::StepFunctions, &source)?;
//! assert_eq!(report.policies[0].field("max_retries").unwrap().to_string(), "2");
//! assert!(report.unsupported.is_empty());
//! assert!(report.to_yaml().contains("base_delay: 3s"));
//! # Ok::<(), steadfast::file::Problems>(())
//! ```
//!
//! # Rules common to all formats
//!
//! - A count of retries becomes `max_retries`, a count of attempts `max_attempts`.
//! - A backoff without a cap gets the largest delay it reaches as its `max_delay`; a policy would
//!   otherwise cap it at a minute.
//! - Shrinking delays and Fibonacci delays become a `schedule`.
//! - Exception classes become rules by type; `Exception` and `Throwable` become `any`. A rule
//!   matches the type names that the program reports, so a program in another language may need
//!   other names.
//! - Settings that apply to every name without its own become the policy `default`; named ones
//!   become [mappings](ImportedMapping).
//! - Every policy honours `Retry-After` and rate-limit headers, whatever the other system does.
//!
//! # Features
//!
//! One per format, all on by default: `client`, `envoy`, `grpc`, `microprofile`, `resilience4j`,
//! `step-functions`, `workflow`.

#![cfg_attr(docsrs, feature(doc_cfg))]
#![cfg_attr(
    not(feature = "default"),
    allow(
        dead_code,
        unused_imports,
        unused_variables,
        reason = "each format uses a part of the shared reader"
    )
)]

mod backoff;
#[cfg(feature = "client")]
mod client;
#[cfg(feature = "envoy")]
mod envoy;
#[cfg(any(feature = "microprofile", feature = "resilience4j"))]
mod exception_classes;
mod export;
mod format;
#[cfg(feature = "grpc")]
mod grpc;
#[cfg(feature = "microprofile")]
mod microprofile;
mod names;
mod policy_builder;
mod policy_file;
#[cfg(feature = "microprofile")]
mod properties;
mod reader;
mod report;
#[cfg(feature = "resilience4j")]
mod resilience4j;
#[cfg(feature = "client")]
mod ruby;
#[cfg(feature = "step-functions")]
mod step_functions;
mod value;
#[cfg(feature = "workflow")]
mod workflow;

use steadfast::file::{Policies, Problem, Problems, Source};

pub use format::{ImportFormat, UnknownFormatError};
pub use report::{ImportReport, ImportedMapping, ImportedPolicy, Unsupported};

use reader::Reader;

/// Reads the settings of another system.
///
/// # Errors
/// All problems of the text, each with its position.
pub fn import(format: ImportFormat, source: &Source) -> Result<ImportReport, Problems> {
    if source.text().trim().is_empty() {
        return Err(no_settings(format, source).into());
    }
    let mut reader = Reader::new(format, source);
    format.read(&mut reader);
    let report = reader.finish()?;
    if report.policies.is_empty() {
        return Err(no_settings(format, source).into());
    }
    Ok(report)
}

fn no_settings(format: ImportFormat, source: &Source) -> Problem {
    let message = format!("no settings of format {format} found");
    let hint = format!("{format} is {}; check the format and the file", format.about());
    Problem::of_file(source.name(), message).suggest(hint)
}

/// Writes policies as the settings of another system: exactly, or not at all. Two formats can be
/// written: gRPC's service config and Resilience4j's YAML.
///
/// Both randomize a delay by a fraction up or down: `jitter_type: proportional` with a
/// `jitter_amount`, as in [`import`]. Neither format can express another jitter.
///
/// # Errors
/// Everything the format cannot express, by its path in the policy file.
pub fn export(format: ImportFormat, policies: &Policies) -> Result<String, Vec<Unsupported>> {
    match format {
        #[cfg(feature = "grpc")]
        ImportFormat::GrpcServiceConfig => grpc::write(policies),
        #[cfg(feature = "resilience4j")]
        ImportFormat::Resilience4j => resilience4j::write(policies),
        #[allow(unreachable_patterns, reason = "unless a format without an exporter is on")]
        other => Err(vec![Unsupported::in_policies(
            "",
            format!("export to {}", other.name()),
            "this format can only be imported; export to grpc or resilience4j",
        )]),
    }
}
