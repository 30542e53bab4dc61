//! Arbitrary environment variables over the presets (F3).

use steadfast::policy::FIELDS;
use steadfast::registry::Loader;

use crate::invariants;

const ENABLED: &str = "ENABLED";

/// Checks an input. Each line is a variable without the common prefix: `SQL__MAX_ATTEMPTS=5`.
pub fn check(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    assert_eq!(load(text), load(text), "two loads of the same environment differ");
}

fn load(text: &str) -> String {
    let variables = text.lines().filter_map(|line| line.split_once('='));
    let variables = variables.map(|(name, value)| (prefixed(name), value));
    match Loader::presets().variables(variables).load() {
        Err(problems) => invariants::check_problems(&problems),
        Ok(registry) => {
            let policies = registry.policies();
            for name in ["sql", "patient", "workflow", "grpc", "default"] {
                invariants::check_policy(policies.find(name));
            }
            invariants::json(&policies.explain("default"))
        }
    }
}

fn prefixed(name: &str) -> String {
    let prefix = if name == ENABLED { "STEADFAST_" } else { "STEADFAST_POLICIES__" };
    format!("{prefix}{name}")
}

/// The fields of a policy, as they are spelled in variables.
pub(crate) fn variable_fields() -> impl Iterator<Item = String> {
    FIELDS.iter().map(|field| field.name.to_uppercase())
}
