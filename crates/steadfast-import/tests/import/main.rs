//! F5: retry settings of other systems become policies that mean the same, and what cannot be
//! carried over is said.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test")]

mod client;
mod completeness;
mod envoy;
mod export;
mod formats;
mod grpc;
mod invalid_input;
mod microprofile;
mod policy_file;
mod properties;
mod resilience4j;
mod step_functions;
mod workflow;

use std::time::Duration;

use steadfast::Policy;
use steadfast::file::{Format, Policies, Source};
use steadfast_import::{ImportFormat, ImportReport, import};

/// Every fixture, and what it is.
const FIXTURES: [(&str, ImportFormat); 10] = [
    ("s0.properties", ImportFormat::MicroProfile),
    ("microprofile.properties", ImportFormat::MicroProfile),
    ("node.json", ImportFormat::Workflow),
    ("schedules.json", ImportFormat::Workflow),
    ("client.rb", ImportFormat::Client),
    ("clients.yaml", ImportFormat::Client),
    ("grpc.json", ImportFormat::GrpcServiceConfig),
    ("resilience4j.yaml", ImportFormat::Resilience4j),
    ("machine.json", ImportFormat::StepFunctions),
    ("envoy.yaml", ImportFormat::Envoy),
];

fn fixture(name: &str) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/import/fixtures/");
    std::fs::read_to_string(format!("{folder}{name}")).unwrap()
}

/// Imports a text without problems.
fn read(format: ImportFormat, text: &str) -> ImportReport {
    let source = Source::new("settings", text);
    import(format, &source).unwrap_or_else(|problems| panic!("{problems}\n{text}"))
}

fn read_fixture(name: &str) -> ImportReport {
    let (_, format) = FIXTURES.into_iter().find(|(known, _)| *known == name).unwrap();
    read(format, &fixture(name))
}

/// The problems of a text, as displayed.
fn problems_of(format: ImportFormat, text: &str) -> Vec<String> {
    match import(format, &Source::new("f", text)) {
        Ok(imported) => panic!("nothing is wrong with\n{text}\n{}", imported.to_yaml()),
        Err(problems) => problems.iter().map(ToString::to_string).collect(),
    }
}

/// The unsupported settings, as displayed.
fn unsupported(imported: &ImportReport) -> Vec<String> {
    imported.unsupported.iter().map(ToString::to_string).collect()
}

/// The policy file that was made.
fn file(imported: &ImportReport) -> Policies {
    let yaml = imported.to_yaml();
    let source = Source::new("steadfast.yaml", &yaml);
    Policies::parse(&source, Format::Yaml).unwrap_or_else(|problems| panic!("{problems}\n{yaml}"))
}

fn policy(imported: &ImportReport, id: &str) -> Policy {
    let found = imported.policies.iter().find(|policy| policy.id == id);
    found.unwrap_or_else(|| panic!("no {id}")).draft().unwrap().build().unwrap()
}

/// The delays before each retry, without jitter, in milliseconds.
fn delays(imported: &ImportReport, id: &str) -> Vec<u128> {
    policy(imported, id).plan().skip(1).map(|attempt| attempt.delay.as_millis()).collect()
}

/// The shortest and the longest delay before each retry, in milliseconds.
fn bands(imported: &ImportReport, id: &str) -> Vec<(u128, u128)> {
    let millis = |delay: Duration| (delay.as_secs_f64() * 1000.0).round() as u128;
    let planned = policy(imported, id);
    planned.plan().skip(1).map(|attempt| (millis(attempt.min), millis(attempt.max))).collect()
}

/// The rules of a policy.
fn rules(imported: &ImportReport, id: &str) -> (Vec<String>, Vec<String>) {
    let policy = policy(imported, id);
    let texts = |rules: &[steadfast::judge::Rule]| rules.iter().map(ToString::to_string).collect();
    (texts(policy.rules().retry_on().unwrap_or_default()), texts(policy.rules().abort_on()))
}
