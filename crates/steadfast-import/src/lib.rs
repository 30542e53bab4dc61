//! Retry settings of other systems, read as policies (F5).
//!
//! Whoever comes from another system has numbers that took an outage to find. They should
//! arrive here with their meaning, not only with their digits: three retries there may be
//! four attempts here, a bare 500 may be milliseconds, a delay may be the second one. So
//! each system has a file here that knows what its settings mean, and whatever cannot be
//! said in a policy is [listed](Lost), with its line: nothing is dropped in silence. Bad
//! input is refused as a whole, with everything that is wrong with it.
//!
//! ```
//! use steadfast::file::Source;
//! use steadfast_import::{ForeignFormat};
//!
//! let text = r#"[{"ErrorEquals": ["States.Timeout"], "IntervalSeconds": 3, "MaxAttempts": 2}]"#;
//! let source = Source::new("retry.json", text);
//! assert_eq!(ForeignFormat::guess(&source), Some(ForeignFormat::StepFunctions));
//!
//! let imported = steadfast_import::import(ForeignFormat::StepFunctions, &source)?;
//! assert_eq!(imported.policies[0].field("max_retries").unwrap().to_string(), "2");
//! assert!(imported.lost.is_empty());
//! assert!(imported.to_yaml().contains("base_delay: 3s"));
//! # Ok::<(), steadfast::file::Problems>(())
//! ```
//!
//! # What is the same everywhere
//!
//! - A count of retries becomes `max_retries`, a count of attempts `max_attempts`.
//! - A delay without a cap gets the longest delay that it reaches as its `max_delay`, as a
//!   policy would else cap it at a minute.
//! - Delays that grow smaller, and those of Fibonacci, become a `schedule`.
//! - Classes of exceptions become rules by type. `Exception` and `Throwable` become `any`.
//!   They match the names that a program reports, so a program that speaks another language
//!   may need other names.
//! - What another system does for every name that it does not mention becomes the policy
//!   `default`; names that it does mention become [mappings](ImportedMapping).
//! - An answer that says when to come back is honoured by every policy, whatever the other
//!   system did with it.

mod backoff;
mod client;
mod envoy;
mod export;
mod format;
mod grpc;
mod guess;
mod imported;
mod java;
mod microprofile;
mod names;
mod new_policy;
mod properties;
mod reader;
mod resilience4j;
mod ruby;
mod step_functions;
mod value;
mod workflow;
mod yaml;

use steadfast::file::{Policies, Problem, Problems, Source};

pub use format::{ForeignFormat, UnknownForeignFormat};
pub use imported::{Imported, ImportedMapping, ImportedPolicy, Lost};

use reader::Reader;

/// Reads the settings of another system.
///
/// # Errors
/// Everything that is wrong with the text, each with its place.
pub fn import(format: ForeignFormat, source: &Source) -> Result<Imported, Problems> {
    let mut reader = Reader::new(format, source);
    match format {
        ForeignFormat::MicroProfile => microprofile::read(&mut reader),
        ForeignFormat::Workflow => workflow::read(&mut reader),
        ForeignFormat::Client => client::read(&mut reader),
        ForeignFormat::GrpcServiceConfig => grpc::read(&mut reader),
        ForeignFormat::Resilience4j => resilience4j::read(&mut reader),
        ForeignFormat::StepFunctions => step_functions::read(&mut reader),
        ForeignFormat::Envoy => envoy::read(&mut reader),
    }
    let imported = reader.finish()?;
    if imported.policies.is_empty() {
        let message = format!("there are no retry settings of {} in it", format.about());
        let problem = Problem::of_file(source.name(), message);
        return Err(problem.suggest("is it another format, or another file?").into());
    }
    Ok(imported)
}

/// Writes policies as the settings of another system: exactly, or not at all. Two systems
/// can be written, gRPC's service config and Resilience4j's YAML.
///
/// The randomness of both is so much less *or more* than the delay. `jitter_type: full` with
/// a `jitter_amount` stands for it here as it does in [`import`]; no other jitter can be said
/// there.
///
/// # Errors
/// Everything that cannot be said there, by the path in the policy file.
pub fn export(format: ForeignFormat, policies: &Policies) -> Result<String, Vec<Lost>> {
    match format {
        ForeignFormat::GrpcServiceConfig => grpc::write(policies),
        ForeignFormat::Resilience4j => resilience4j::write(policies),
        other => Err(vec![Lost::of_policies(
            "",
            format!("the format {}", other.name()),
            "it can only be imported; grpc and resilience4j can be written, too",
        )]),
    }
}
