//! Assembly of policies from the layers of the file, the environment and the application.
//!
//! Every policy is checked even if another one is invalid, so that all problems are reported at
//! once. A file with a problem yields no policies.

use std::collections::HashSet;
use std::sync::Arc;

use super::Source;
use super::document::{Document, POLICIES, PolicyEntry};
use super::environment::Variables;
use super::layers::{FieldValue, Layered, problem_at_origin};
use super::origin::Origin;
use super::policies::{DEFAULT, Listed, Policies};
use super::problem::{Findings, MAX_PROBLEMS, Problem, excerpt};
use crate::nearest::nearest;
use crate::policy::{Draft, PRESETS, Setting};

/// The layers above a file: the environment and the application.
#[derive(Clone, Debug, Default)]
pub(crate) struct Overlay {
    pub(crate) variables: Variables,
    /// Policy id, field and value.
    pub(crate) code: Vec<(String, String, Setting)>,
}

impl Overlay {
    /// The variables of this process.
    pub(crate) fn from_env() -> Self {
        Self { variables: Variables::from_env(), code: Vec::new() }
    }
}

/// The policies of a document; `None` if it has a problem.
pub(super) fn assemble(
    source: &Source,
    document: &Document<'_>,
    overlay: &Overlay,
    findings: &mut Findings,
) -> Option<Policies> {
    let mut defaults = Layered::default();
    defaults.apply("global_defaults.", &document.defaults, findings);
    let bases = bases(document, &defaults);
    let ids: Vec<&str> = bases.iter().map(|base| base.id).collect();
    let variables = overlay.variables.layers(&ids, findings);
    let mut reported = Reported::default();
    let mut listed = Vec::new();
    for (base, variables) in bases.into_iter().zip(variables) {
        let code = overlay.code_for(base.id);
        listed.extend(base.finish(source, &variables, &code, &mut reported, findings));
    }
    overlay.report_unknown(&ids, findings);
    report_dangling(source, document, &ids, findings);
    Policies::of(source, listed, document)
}

/// The most comparisons of names for suggestions in total, so that many unknown policies do not
/// cost a quadratic search.
const MAX_COMPARISONS: usize = 200_000;

/// Reports the mappings to unknown policies.
fn report_dangling(
    source: &Source,
    document: &Document<'_>,
    ids: &[&str],
    findings: &mut Findings,
) {
    let known: HashSet<&str> = ids.iter().copied().collect();
    let dangling = || document.mappings.iter().filter(|each| !known.contains(each.policy.as_str()));
    let compared = MAX_COMPARISONS / dangling().count().clamp(1, MAX_PROBLEMS);
    for mapping in dangling() {
        findings.add(|| {
            let message = format!("unknown policy {}", excerpt(&mapping.policy));
            let problem = Problem::at(source, mapping.at, message).field(&mapping.path());
            match nearest(&mapping.policy, ids.iter().copied().take(compared)) {
                near @ Some(_) => problem.did_you_mean(near),
                None => problem.suggest(format!("define it under {POLICIES}:")),
            }
        });
    }
}

/// A policy before the layers of the environment and the application.
struct Base<'d, 't> {
    id: &'d str,
    entry: Option<&'d PolicyEntry<'t>>,
    layered: Layered,
}

fn bases<'d, 't>(document: &'d Document<'t>, defaults: &Layered) -> Vec<Base<'d, 't>> {
    let in_file = document.policies.iter().map(|entry| Base {
        id: entry.id.as_str(),
        entry: Some(entry),
        layered: defaults.clone(),
    });
    let defined = |id: &str| document.policies.iter().any(|entry| entry.id == id);
    let missing =
        |id: &'static str, layered| (!defined(id)).then_some(Base { id, entry: None, layered });
    let presets = PRESETS.into_iter().filter_map(|id| {
        missing(id, Layered { draft: Draft::constant_preset(id), ..Layered::default() })
    });
    in_file.chain(presets).chain(missing(DEFAULT, defaults.clone())).collect()
}

impl Base<'_, '_> {
    fn finish(
        self,
        source: &Source,
        variables: &[FieldValue<'_>],
        code: &[FieldValue<'_>],
        reported: &mut Reported,
        findings: &mut Findings,
    ) -> Option<Listed> {
        let Self { id, entry, mut layered } = self;
        let above = format!("{POLICIES}.{}.", excerpt(id));
        let before = findings.count();
        let fields = entry.map_or(&[][..], |entry| &entry.fields);
        for layer in [fields, variables, code] {
            layered.apply(&above, layer, findings);
        }
        let draft = std::mem::take(&mut layered.draft).id(id).allow_ineffective();
        for error in draft.problems() {
            let field = error.field();
            if layered.is_consequence(&field) {
                continue;
            }
            let origins = &layered.origins;
            let origin = origins.origin_of_error(&field);
            if let Some((_, at)) = origin.and_then(Origin::location)
                && !reported.insert((at.start, at.end, error.message()))
            {
                continue;
            }
            findings.add(|| {
                let problem = match (origin, entry) {
                    (Some(origin), _) => problem_at_origin(origin, source.name(), error.message()),
                    (None, Some(entry)) => Problem::at(source, entry.key, error.message()),
                    (None, None) => Problem::of_file(source.name(), error.message()),
                };
                problem.did_you_mean(error.suggestion()).field(&field).within(&above)
            });
        }
        if findings.count() > before {
            return None;
        }
        let policy = Arc::new(draft.clone().build().ok()?);
        let origins = layered.origins;
        Some(Listed { policy, draft, origins, is_preset: entry.is_none() })
    }
}

/// The spans and messages reported so far, so that a problem in the global defaults is not repeated
/// for each policy.
type Reported = HashSet<(u32, u32, String)>;

impl Overlay {
    fn code_for(&self, policy: &str) -> Vec<FieldValue<'static>> {
        let own = self.code.iter().filter(|(id, ..)| id == policy);
        own.map(|(_, field, value)| FieldValue {
            field: field.clone(),
            value: value.clone(),
            origin: Origin::CODE,
            node: None,
            parents: Vec::new(),
        })
        .collect()
    }

    fn report_unknown(&self, ids: &[&str], findings: &mut Findings) {
        for (id, field, _) in self.code.iter().filter(|(id, ..)| !ids.contains(&id.as_str())) {
            let problem = Problem::of_file("code", format!("unknown policy {}", excerpt(id)));
            let near = nearest(id, ids.iter().copied());
            findings.add(|| problem.did_you_mean(near).field(&format!("{POLICIES}.{id}.{field}")));
        }
    }
}
