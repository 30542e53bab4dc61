//! Section 6 of the specification: the policy file. What it may say, what is wrong with it,
//! what lies over what, and where each value came from.

#![cfg(feature = "file")]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test")]

mod environment;
mod layers;
mod names;
mod problems;
mod reference;
mod rules;
mod s4;
mod schema;
mod shape;

use steadfast::file::{Format, Policies, Problem, Problems, Source};

/// The policies of a text.
fn read(text: &str) -> Result<Policies, Problems> {
    Policies::parse(&Source::new("steadfast.yaml", text), Format::Yaml)
}

/// The policies of a text that has nothing wrong.
fn good(text: &str) -> Policies {
    read(text).unwrap_or_else(|problems| panic!("{problems}\n{text}"))
}

/// Everything that is wrong with a text.
fn wrong(text: &str) -> Vec<Problem> {
    match read(text) {
        Ok(_) => panic!("nothing is wrong with\n{text}"),
        Err(problems) => problems.into_iter().collect(),
    }
}

/// The same, as people read it.
fn messages(text: &str) -> Vec<String> {
    wrong(text).iter().map(ToString::to_string).collect()
}

/// A file with one policy, `p`, of these fields.
fn policy(fields: &str) -> String {
    format!("version: \"1.1.0\"\npolicies:\n  p: {{{fields}}}\n")
}
