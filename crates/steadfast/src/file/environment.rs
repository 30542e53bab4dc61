//! The layer of environment variables (F3).
//!
//! `STEADFAST_POLICIES__<ID>__<FIELD>` overrides a field of a policy: the id and the field in
//! capitals, other characters as `_`, and `__` before a nested field (`…__BREAKER__THRESHOLD`).
//! `STEADFAST_ENABLED=false` turns off all retries. A variable that matches nothing is an error:
//! it may have been set in an outage.

use super::layers::FieldValue;
use super::origin::Origin;
use super::problem::{Findings, Problem, excerpt};
use crate::nearest::nearest;
use crate::policy::Setting;

/// `false` turns off all retries; `true` leaves them to the policies.
pub(crate) const ENABLED_VARIABLE: &str = "STEADFAST_ENABLED";
const POLICY_PREFIX: &str = "STEADFAST_POLICIES__";

#[derive(Clone, Debug, Default)]
pub(crate) struct Variables(Vec<(String, String)>);

impl Variables {
    /// The policy variables of this process.
    pub(crate) fn from_env() -> Self {
        let text = |part: std::ffi::OsString| part.to_string_lossy().into_owned();
        std::env::vars_os().map(|(name, value)| (text(name), text(value))).collect()
    }

    /// The field values for each of these policies.
    pub(super) fn layers(
        &self,
        ids: &[&str],
        findings: &mut Findings,
    ) -> Vec<Vec<FieldValue<'static>>> {
        let mut layers = vec![Vec::new(); ids.len()];
        for (name, value) in &self.0 {
            let Some(rest) = name.strip_prefix(POLICY_PREFIX) else {
                continue;
            };
            let candidates = candidates(rest, ids);
            match candidates[..] {
                [(index, field)] => {
                    layers.get_mut(index).into_iter().for_each(|layer| {
                        layer.push(field_value(name, field, value));
                    });
                }
                [] => findings.add(|| unknown_policy(name, rest, ids)),
                _ => findings.add(|| ambiguous(name)),
            }
        }
        // Last, so that it overrides the variables of single policies.
        let switch = self.switch(findings);
        layers.iter_mut().for_each(|layer| layer.extend_from_slice(&switch));
        layers
    }

    /// Retries can be turned off for all policies, but not on for a disabled policy.
    fn switch(&self, findings: &mut Findings) -> Vec<FieldValue<'static>> {
        let Some((name, value)) = self.0.iter().rev().find(|(name, _)| name == ENABLED_VARIABLE)
        else {
            return Vec::new();
        };
        match value.as_str() {
            "false" => return vec![field_value(name, "ENABLED", value)],
            "true" => {}
            other => findings.add(|| {
                let message = format!("expected true or false, not `{}`", excerpt(other));
                Problem::of_file(&Origin::environment(name).to_string(), message)
                    .suggest("false turns off all retries")
            }),
        }
        Vec::new()
    }
}

impl FromIterator<(String, String)> for Variables {
    fn from_iter<I: IntoIterator<Item = (String, String)>>(variables: I) -> Self {
        let ours = |name: &str| name == ENABLED_VARIABLE || name.starts_with(POLICY_PREFIX);
        Self(variables.into_iter().filter(|(name, _)| ours(name)).collect())
    }
}

fn field_value(variable: &str, field: &str, value: &str) -> FieldValue<'static> {
    FieldValue {
        field: field.to_lowercase().replace("__", "."),
        value: Setting::from(value),
        origin: Origin::environment(variable),
        node: None,
        parents: Vec::new(),
    }
}

/// The policies that a variable can refer to, and the field. A policy `A__B` takes precedence over
/// the field `B` of a policy `A`.
fn candidates<'n>(rest: &'n str, ids: &[&str]) -> Vec<(usize, &'n str)> {
    let field_of = |id: &str| rest.strip_prefix(&spelled(id))?.strip_prefix("__");
    let matching = || ids.iter().enumerate().filter_map(|(index, id)| Some((index, field_of(id)?)));
    let shortest = matching().map(|(_, field)| field.len()).min();
    matching().filter(|(_, field)| Some(field.len()) == shortest).collect()
}

/// An id in the spelling of variables.
fn spelled(id: &str) -> String {
    let letter = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '_' };
    id.chars().map(|each| letter(each).to_ascii_uppercase()).collect()
}

fn unknown_policy(variable: &str, rest: &str, ids: &[&str]) -> Problem {
    let origin = Origin::environment(variable).to_string();
    let form =
        format!("use {POLICY_PREFIX}<ID>__<FIELD>, such as {POLICY_PREFIX}DEFAULT__MAX_ATTEMPTS");
    let Some((id, field)) = rest.split_once("__") else {
        return Problem::of_file(&origin, "does not name a field of a policy").suggest(form);
    };
    let problem = Problem::of_file(&origin, format!("unknown policy {}", id.to_lowercase()));
    let spellings: Vec<String> = ids.iter().map(|id| spelled(id)).collect();
    match nearest(id, spellings.iter().map(String::as_str)) {
        Some(near) if !field.is_empty() => {
            problem.suggest(format!("did you mean `{POLICY_PREFIX}{near}__{field}`?"))
        }
        _ => problem.suggest(form),
    }
}

fn ambiguous(variable: &str) -> Problem {
    Problem::of_file(&Origin::environment(variable).to_string(), "matches more than one policy")
        .suggest("rename one: a variable cannot distinguish their ids")
}
