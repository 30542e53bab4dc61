//! Arbitrary environment variables over the presets (F3).

use steadfast::policy::FIELDS;
use steadfast::registry::Loader;

use crate::answers;

const ENABLED: &str = "ENABLED";

/// Each line is a variable, `SQL__MAX_ATTEMPTS=5`, without the prefix that all have in common.
pub fn check(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    assert_eq!(load(text), load(text), "one environment, two answers");
}

fn load(text: &str) -> String {
    let variables = text.lines().filter_map(|line| line.split_once('='));
    let variables = variables.map(|(name, value)| (prefixed(name), value));
    match Loader::presets().variables(variables).load() {
        Err(problems) => answers::of_problems(&problems),
        Ok(registry) => {
            let policies = registry.policies();
            for name in ["sql", "patient", "workflow", "grpc", "default"] {
                answers::check_policy(policies.find(name));
            }
            answers::json(&policies.explain("default"))
        }
    }
}

fn prefixed(name: &str) -> String {
    let prefix = if name == ENABLED { "STEADFAST_" } else { "STEADFAST_POLICIES__" };
    format!("{prefix}{name}")
}

/// The fields of a policy, as variables spell them.
pub(crate) fn spelled_fields() -> impl Iterator<Item = String> {
    FIELDS.iter().map(|field| field.name.to_uppercase())
}
