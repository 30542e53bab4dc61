//! The values of the what-if form, applied to the policy.

use serde::Deserialize;
use steadfast::Policy;
use steadfast::policy::{Draft, PolicyError, Setting};
use steadfast_api::{PolicyDetails, policy_fields};

/// The most attempts that are simulated: each costs time.
pub(super) const MAX_SIMULATED_ATTEMPTS: u32 = 100;
const MAX_VALUE_CHARS: usize = 40;

pub(super) const FIELDS: [&str; 6] =
    ["max_attempts", "backoff_type", "base_delay", "multiplier", "max_delay", "jitter"];

/// The values of the form. Empty values and current values change nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(in crate::web::policies) struct WhatIfQuery {
    max_attempts: String,
    backoff_type: String,
    base_delay: String,
    multiplier: String,
    max_delay: String,
    jitter: String,
    pub(super) outage: String,
}

/// The changed policy, or the errors of the form.
#[derive(Debug, Default)]
pub(super) struct Change {
    /// The changed policy, if a setting differs and all values are valid.
    pub(super) policy: Option<(Draft, Policy)>,
    /// The errors, each with its field.
    pub(super) problems: Vec<(String, String)>,
}

impl Change {
    pub(super) fn problem(&self, field: &str) -> Option<&str> {
        let found = self.problems.iter().find(|(name, _)| name == field);
        found.map(|(_, message)| message.as_str())
    }
}

/// The current value of a setting, or empty.
pub(super) fn current_value(known: &PolicyDetails, field: &str) -> String {
    let value = known.explanation.value(field);
    value.and_then(|it| policy_fields::value(field, &it.value)).unwrap_or_default()
}

impl WhatIfQuery {
    pub(super) fn value(&self, field: &str) -> &str {
        match field {
            "max_attempts" => &self.max_attempts,
            "backoff_type" => &self.backoff_type,
            "base_delay" => &self.base_delay,
            "multiplier" => &self.multiplier,
            "max_delay" => &self.max_delay,
            "jitter" => &self.jitter,
            _ => "",
        }
        .trim()
    }

    pub(super) fn apply(&self, known: &PolicyDetails) -> Change {
        let changes: Vec<(&str, &str)> = FIELDS
            .iter()
            .map(|field| (*field, self.value(field)))
            .filter(|(field, value)| !value.is_empty() && *value != current_value(known, field))
            .collect();
        let rejected: Vec<_> =
            changes.iter().filter_map(|(field, value)| check_limits(field, value)).collect();
        if changes.is_empty() || !rejected.is_empty() {
            return Change { policy: None, problems: rejected };
        }
        match with_changes(&known.draft, &changes) {
            Ok((draft, policy)) => Change { policy: Some((draft, policy)), problems: Vec::new() },
            Err(errors) => Change { policy: None, problems: errors.iter().map(describe).collect() },
        }
    }
}

/// Rejects values that are valid in a policy but too expensive to simulate.
fn check_limits(field: &str, value: &str) -> Option<(String, String)> {
    let problem = if value.chars().count() > MAX_VALUE_CHARS {
        format!("must be at most {MAX_VALUE_CHARS} characters")
    } else if field == "max_attempts"
        && value.parse::<f64>().is_ok_and(|it| it > f64::from(MAX_SIMULATED_ATTEMPTS))
    {
        format!("at most {MAX_SIMULATED_ATTEMPTS} attempts can be simulated")
    } else {
        return None;
    };
    Some((field.to_owned(), problem))
}

fn describe(error: &PolicyError) -> (String, String) {
    let message = match error.suggestion() {
        Some(suggestion) => format!("{}; did you mean `{suggestion}`?", error.message()),
        None => error.message(),
    };
    (error.field(), message)
}

fn with_changes(
    draft: &Draft,
    changes: &[(&str, &str)],
) -> Result<(Draft, Policy), Vec<PolicyError>> {
    let mut draft = draft.clone();
    // A list of delays excludes every backoff type but `custom`.
    let drops_schedule =
        changes.iter().any(|(field, value)| *field == "backoff_type" && *value != "custom");
    let cleared = drops_schedule
        .then_some("schedule")
        .into_iter()
        .chain(changes.iter().map(|(field, _)| *field));
    let mut errors: Vec<PolicyError> =
        cleared.filter_map(|field| draft.overwrite(field, &Setting::Null).err()).collect();
    errors.extend(
        changes.iter().filter_map(|(field, value)| draft.set(field, &(*value).into()).err()),
    );
    if !errors.is_empty() {
        return Err(errors);
    }
    let policy = draft.clone().build().map_err(|error| vec![error])?;
    Ok((draft, policy))
}
