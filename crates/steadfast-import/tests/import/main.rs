//! F5: retry settings of other systems become policies that mean the same, and what cannot be
//! carried over is said.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test")]

mod bad_input;
mod client;
mod completeness;
mod envoy;
mod export;
mod formats;
mod grpc;
mod microprofile;
mod properties;
mod resilience4j;
mod step_functions;
mod workflow;
mod yaml;

use std::time::Duration;

use steadfast::Policy;
use steadfast::file::{Format, Policies, Source};
use steadfast_import::{ForeignFormat, Imported, import};

/// Every fixture, and what it is.
const FIXTURES: [(&str, ForeignFormat); 10] = [
    ("s0.properties", ForeignFormat::MicroProfile),
    ("microprofile.properties", ForeignFormat::MicroProfile),
    ("node.json", ForeignFormat::Workflow),
    ("schedules.json", ForeignFormat::Workflow),
    ("client.rb", ForeignFormat::Client),
    ("clients.yaml", ForeignFormat::Client),
    ("grpc.json", ForeignFormat::GrpcServiceConfig),
    ("resilience4j.yaml", ForeignFormat::Resilience4j),
    ("machine.json", ForeignFormat::StepFunctions),
    ("envoy.yaml", ForeignFormat::Envoy),
];

fn fixture(name: &str) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/import/fixtures/");
    std::fs::read_to_string(format!("{folder}{name}")).unwrap()
}

/// What a text means, if nothing is wrong with it.
fn read(format: ForeignFormat, text: &str) -> Imported {
    let source = Source::new("foreign", text);
    import(format, &source).unwrap_or_else(|problems| panic!("{problems}\n{text}"))
}

fn read_fixture(name: &str) -> Imported {
    let (_, format) = FIXTURES.into_iter().find(|(known, _)| *known == name).unwrap();
    read(format, &fixture(name))
}

/// Everything that is wrong with a text, as people read it.
fn wrong(format: ForeignFormat, text: &str) -> Vec<String> {
    match import(format, &Source::new("f", text)) {
        Ok(imported) => panic!("nothing is wrong with\n{text}\n{}", imported.to_yaml()),
        Err(problems) => problems.iter().map(ToString::to_string).collect(),
    }
}

/// What was lost, as people read it.
fn lost(imported: &Imported) -> Vec<String> {
    imported.lost.iter().map(ToString::to_string).collect()
}

/// The policy file that was made.
fn file(imported: &Imported) -> Policies {
    let yaml = imported.to_yaml();
    let source = Source::new("steadfast.yaml", &yaml);
    Policies::parse(&source, Format::Yaml).unwrap_or_else(|problems| panic!("{problems}\n{yaml}"))
}

fn policy(imported: &Imported, id: &str) -> Policy {
    let found = imported.policies.iter().find(|policy| policy.id == id);
    found.unwrap_or_else(|| panic!("no {id}")).draft().unwrap().build().unwrap()
}

/// The delays before each retry, without jitter, in milliseconds.
fn delays(imported: &Imported, id: &str) -> Vec<u128> {
    policy(imported, id).plan().skip(1).map(|attempt| attempt.delay.as_millis()).collect()
}

/// The shortest and the longest delay before each retry, in milliseconds.
fn bands(imported: &Imported, id: &str) -> Vec<(u128, u128)> {
    let millis = |delay: Duration| (delay.as_secs_f64() * 1000.0).round() as u128;
    let planned = policy(imported, id);
    planned.plan().skip(1).map(|attempt| (millis(attempt.min), millis(attempt.max))).collect()
}

/// The rules of a policy.
fn rules(imported: &Imported, id: &str) -> (Vec<String>, Vec<String>) {
    let policy = policy(imported, id);
    let texts = |rules: &[steadfast::judge::Rule]| rules.iter().map(ToString::to_string).collect();
    (texts(policy.rules().retry_on().unwrap_or_default()), texts(policy.rules().abort_on()))
}
