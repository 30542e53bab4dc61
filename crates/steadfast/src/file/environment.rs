//! The environment's layer (F3).
//!
//! `STEADFAST_POLICIES__<ID>__<FIELD>` sets a field of a policy, whatever the file
//! says: the id and the field in capitals, other characters as `_`, and `__` down
//! into a part (`…__BREAKER__THRESHOLD`). `STEADFAST_ENABLED=false` turns all
//! retrying off. A variable that fits nothing is a mistake, not a no-op: it is what
//! somebody reaches for in an outage.

use super::layers::Written;
use super::origin::Origin;
use super::problem::{Findings, Problem, shown};
use crate::nearest::nearest;
use crate::policy::Setting;

/// Turns all retrying off, or leaves it to the policies.
pub(crate) const ENABLED: &str = "STEADFAST_ENABLED";
const PREFIX: &str = "STEADFAST_POLICIES__";

/// Variables and their values.
#[derive(Clone, Debug, Default)]
pub(crate) struct Variables(Vec<(String, String)>);

impl Variables {
    /// Those of this process that are meant for policies.
    pub(crate) fn of_process() -> Self {
        let text = |part: std::ffi::OsString| part.to_string_lossy().into_owned();
        std::env::vars_os().map(|(name, value)| (text(name), text(value))).collect()
    }

    /// What they write of each of these policies.
    pub(super) fn layers(
        &self,
        ids: &[&str],
        findings: &mut Findings,
    ) -> Vec<Vec<Written<'static>>> {
        let mut layers = vec![Vec::new(); ids.len()];
        for (name, value) in &self.0 {
            let Some(rest) = name.strip_prefix(PREFIX) else {
                continue;
            };
            let meant = meant(rest, ids);
            match meant[..] {
                [(place, field)] => {
                    layers.get_mut(place).into_iter().for_each(|layer| {
                        layer.push(written(name, field, value));
                    });
                }
                [] => findings.add(|| unknown_policy(name, rest, ids)),
                _ => findings.add(|| ambiguous(name)),
            }
        }
        // Last, so that it turns off what a variable of a policy's own has turned on.
        let switch = self.switch(findings);
        layers.iter_mut().for_each(|layer| layer.extend_from_slice(&switch));
        layers
    }

    /// Retrying can be turned off for all, but not on where a policy has it off.
    fn switch(&self, findings: &mut Findings) -> Vec<Written<'static>> {
        let Some((name, value)) = self.0.iter().rev().find(|(name, _)| name == ENABLED) else {
            return Vec::new();
        };
        match value.as_str() {
            "false" => return vec![written(name, "ENABLED", value)],
            "true" => {}
            other => findings.add(|| {
                let message = format!("`{}` is neither true nor false", shown(other));
                Problem::of_file(&Origin::environment(name).to_string(), message)
                    .suggest("false turns all retrying off")
            }),
        }
        Vec::new()
    }
}

impl FromIterator<(String, String)> for Variables {
    fn from_iter<I: IntoIterator<Item = (String, String)>>(variables: I) -> Self {
        let ours = |name: &str| name == ENABLED || name.starts_with(PREFIX);
        Self(variables.into_iter().filter(|(name, _)| ours(name)).collect())
    }
}

fn written(variable: &str, field: &str, value: &str) -> Written<'static> {
    Written {
        field: field.to_lowercase().replace("__", "."),
        value: Setting::from(value),
        origin: Origin::environment(variable),
        node: None,
    }
}

/// The policies that a variable can mean, and the field. `A__B` is a policy of that name
/// rather than the field `B` of the policy `A`.
fn meant<'n>(rest: &'n str, ids: &[&str]) -> Vec<(usize, &'n str)> {
    let fits = |id: &str| rest.strip_prefix(&spelled(id))?.strip_prefix("__");
    let fitting = || ids.iter().enumerate().filter_map(|(place, id)| Some((place, fits(id)?)));
    let shortest = fitting().map(|(_, field)| field.len()).min();
    fitting().filter(|(_, field)| Some(field.len()) == shortest).collect()
}

/// An id as a variable spells it.
fn spelled(id: &str) -> String {
    let letter = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '_' };
    id.chars().map(|each| letter(each).to_ascii_uppercase()).collect()
}

fn unknown_policy(variable: &str, rest: &str, ids: &[&str]) -> Problem {
    let origin = Origin::environment(variable).to_string();
    let form = format!("write {PREFIX}<ID>__<FIELD>, such as {PREFIX}DEFAULT__MAX_ATTEMPTS");
    let Some((id, field)) = rest.split_once("__") else {
        return Problem::of_file(&origin, "it names no field of a policy").suggest(form);
    };
    let problem = Problem::of_file(&origin, format!("there is no policy {}", id.to_lowercase()));
    let spellings: Vec<String> = ids.iter().map(|id| spelled(id)).collect();
    match nearest(id, spellings.iter().map(String::as_str)) {
        Some(near) if !field.is_empty() => {
            problem.suggest(format!("did you mean {PREFIX}{near}__{field}?"))
        }
        _ => problem.suggest(form),
    }
}

fn ambiguous(variable: &str) -> Problem {
    Problem::of_file(&Origin::environment(variable).to_string(), "it fits more than one policy")
        .suggest("rename one: their ids differ in nothing that a variable can spell")
}
