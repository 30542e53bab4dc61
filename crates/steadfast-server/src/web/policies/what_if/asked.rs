//! What was moved, read as a policy.

use serde::Deserialize;
use steadfast::Policy;
use steadfast::policy::{Draft, PolicyError, Setting};
use steadfast_api::{KnownPolicy, policy_fields};

/// More attempts than these are not tried out: simulating them takes time.
pub(super) const MOST_ATTEMPTS: u32 = 100;
/// Longer texts are no values.
const LONGEST: usize = 40;

/// The fields that can be moved.
pub(super) const FIELDS: [&str; 6] =
    ["max_attempts", "backoff_type", "base_delay", "multiplier", "max_delay", "jitter"];

/// What the form sends. What is empty, or as it is now, is not changed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(in crate::web::policies) struct Asked {
    max_attempts: String,
    backoff_type: String,
    base_delay: String,
    multiplier: String,
    max_delay: String,
    jitter: String,
    pub(super) outage: String,
}

/// What became of it.
#[derive(Debug, Default)]
pub(super) struct Changed {
    /// The changed policy, if something is changed and nothing is wrong.
    pub(super) policy: Option<(Draft, Policy)>,
    /// What is wrong, each with its field.
    pub(super) problems: Vec<(String, String)>,
}

impl Changed {
    /// What is wrong with this field.
    pub(super) fn problem(&self, field: &str) -> Option<&str> {
        let found = self.problems.iter().find(|(wrong, _)| wrong == field);
        found.map(|(_, told)| told.as_str())
    }
}

/// A value as it is now, or nothing where the policy has none.
pub(super) fn present(known: &KnownPolicy, field: &str) -> String {
    let value = known.explanation.value(field);
    value.and_then(|it| policy_fields::value(field, &it.value)).unwrap_or_default()
}

impl Asked {
    /// What was typed for a field.
    pub(super) fn typed(&self, field: &str) -> &str {
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

    /// The policy with what was moved.
    pub(super) fn changed(&self, known: &KnownPolicy) -> Changed {
        let moved: Vec<(&str, &str)> = FIELDS
            .iter()
            .map(|field| (*field, self.typed(field)))
            .filter(|(field, typed)| !typed.is_empty() && *typed != present(known, field))
            .collect();
        let too_much: Vec<_> =
            moved.iter().filter_map(|(field, typed)| too_much(field, typed)).collect();
        if moved.is_empty() || !too_much.is_empty() {
            return Changed { policy: None, problems: too_much };
        }
        match over(&known.draft, &moved) {
            Ok((draft, policy)) => Changed { policy: Some((draft, policy)), problems: Vec::new() },
            Err(errors) => Changed { policy: None, problems: errors.iter().map(told).collect() },
        }
    }
}

/// What a policy could say, and is not tried out.
fn too_much(field: &str, typed: &str) -> Option<(String, String)> {
    let problem = if typed.chars().count() > LONGEST {
        format!("this is longer than {LONGEST} letters")
    } else if field == "max_attempts"
        && typed.parse::<f64>().is_ok_and(|it| it > f64::from(MOST_ATTEMPTS))
    {
        format!("up to {MOST_ATTEMPTS} are tried out here")
    } else {
        return None;
    };
    Some((field.to_owned(), problem))
}

fn told(error: &PolicyError) -> (String, String) {
    let told = match error.suggestion() {
        Some(near) => format!("{}; did you mean {near}?", error.message()),
        None => error.message(),
    };
    (error.field(), told)
}

/// The draft with these fields written over its own.
fn over(draft: &Draft, moved: &[(&str, &str)]) -> Result<(Draft, Policy), Vec<PolicyError>> {
    let mut draft = draft.clone();
    // Delays one by one leave no room for another backoff.
    let is_reshaped =
        moved.iter().any(|(field, typed)| *field == "backoff_type" && *typed != "custom");
    let gone =
        is_reshaped.then_some("schedule").into_iter().chain(moved.iter().map(|(field, _)| *field));
    let mut errors: Vec<PolicyError> =
        gone.filter_map(|field| draft.overwrite(field, &Setting::Null).err()).collect();
    errors
        .extend(moved.iter().filter_map(|(field, typed)| draft.set(field, &(*typed).into()).err()));
    if !errors.is_empty() {
        return Err(errors);
    }
    let policy = draft.clone().build().map_err(|error| vec![error])?;
    Ok((draft, policy))
}
