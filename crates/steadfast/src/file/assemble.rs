//! From a document to policies: its layers, the environment's and the program's, laid
//! over each other and checked.
//!
//! Every policy is gone through, whatever is wrong with the one before, so that all
//! problems are told at once; only then is it decided whether there are policies at
//! all.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use super::Source;
use super::document::{Document, POLICIES, WrittenPolicy};
use super::environment::Variables;
use super::layers::{Layered, Written, at_origin};
use super::origin::Origin;
use super::policies::{DEFAULT, Listed, Policies};
use super::problem::{Findings, MAX_TOLD, Problem, shown};
use crate::nearest::nearest;
use crate::policy::{Draft, PRESETS, Setting};

/// What goes over a file: the environment and the program.
#[derive(Clone, Debug, Default)]
pub(crate) struct Overlay {
    pub(crate) variables: Variables,
    /// A policy, a field of it, and its value.
    pub(crate) code: Vec<(String, String, Setting)>,
}

impl Overlay {
    /// What this process's environment says.
    pub(crate) fn of_process() -> Self {
        Self { variables: Variables::of_process(), code: Vec::new() }
    }
}

/// Nothing is made of a document that has a problem.
pub(super) fn assemble(
    source: &Source,
    document: &Document<'_>,
    overlay: &Overlay,
    findings: &mut Findings,
) -> Option<Policies> {
    let mut defaults = Layered::default();
    defaults.lay("global_defaults.", &document.defaults, findings);
    let bases = bases(document, &defaults);
    let ids: Vec<&str> = bases.iter().map(|base| base.id).collect();
    let variables = overlay.variables.layers(&ids, findings);
    let mut blamed = Blamed::default();
    let mut listed = Vec::new();
    for (base, variables) in bases.into_iter().zip(variables) {
        let code = overlay.code_for(base.id);
        listed.extend(base.finish(source, &variables, &code, &mut blamed, findings));
    }
    overlay.report_unknown(&ids, findings);
    report_dangling(source, document, &ids, findings);
    Policies::of(source, listed, document)
}

/// How often two names are compared to find what was meant, in all: many mappings to many
/// policies are not to cost their product.
const COMPARISONS: usize = 200_000;

/// Reports each name that is mapped to a policy that is not there.
fn report_dangling(
    source: &Source,
    document: &Document<'_>,
    ids: &[&str],
    findings: &mut Findings,
) {
    let known: HashSet<&str> = ids.iter().copied().collect();
    let dangling = || document.mappings.iter().filter(|each| !known.contains(each.policy.as_str()));
    let compared = COMPARISONS / dangling().count().clamp(1, MAX_TOLD);
    for mapping in dangling() {
        findings.add(|| {
            let message = format!("there is no policy {}", shown(&mapping.policy));
            let problem = Problem::at(source, mapping.at, message).field(&mapping.path());
            match nearest(&mapping.policy, ids.iter().copied().take(compared)) {
                near @ Some(_) => problem.meant(near),
                None => problem.suggest(format!("define it under {POLICIES}:")),
            }
        });
    }
}

/// A policy before the environment and the program have had their say.
struct Base<'d, 't> {
    id: &'d str,
    written: Option<&'d WrittenPolicy<'t>>,
    layered: Layered,
}

fn bases<'d, 't>(document: &'d Document<'t>, defaults: &Layered) -> Vec<Base<'d, 't>> {
    let written = document.policies.iter().map(|written| Base {
        id: written.id.as_str(),
        written: Some(written),
        layered: defaults.clone(),
    });
    let defined = |id: &str| document.policies.iter().any(|written| written.id == id);
    let missing =
        |id: &'static str, layered| (!defined(id)).then_some(Base { id, written: None, layered });
    let ready_made = PRESETS.into_iter().filter_map(|id| {
        missing(id, Layered { draft: Draft::ready_made(id), ..Layered::default() })
    });
    written.chain(ready_made).chain(missing(DEFAULT, defaults.clone())).collect()
}

impl Base<'_, '_> {
    fn finish(
        self,
        source: &Source,
        variables: &[Written<'_>],
        code: &[Written<'_>],
        blamed: &mut Blamed,
        findings: &mut Findings,
    ) -> Option<Listed> {
        let Self { id, written, mut layered } = self;
        let above = format!("{POLICIES}.{}.", shown(id));
        let before = findings.count();
        let fields = written.map_or(&[][..], |written| &written.fields);
        for layer in [fields, variables, code] {
            layered.lay(&above, layer, findings);
        }
        let Layered { draft, origins } = layered;
        let draft = draft.id(id);
        for error in draft.problems() {
            let field = error.field();
            let origin = origins.to_blame(&field);
            if origin.is_some_and(|origin| !blamed.anew(origin, &error.message())) {
                continue;
            }
            findings.add(|| {
                let problem = match (origin, written) {
                    (Some(origin), _) => at_origin(origin, source.name(), error.message()),
                    (None, Some(written)) => Problem::at(source, written.key, error.message()),
                    (None, None) => Problem::of_file(source.name(), error.message()),
                };
                problem.meant(error.suggestion()).field(&field).within(&above)
            });
        }
        if findings.count() > before {
            return None;
        }
        let policy = Arc::new(draft.clone().build().ok()?);
        Some(Listed { policy, draft, origins, ready_made: written.is_none() })
    }
}

/// What has been reported of the global defaults, so that one mistake there is not reported
/// for each policy.
#[derive(Default)]
struct Blamed(BTreeSet<(String, String)>);

impl Blamed {
    fn anew(&mut self, origin: &Origin, message: &str) -> bool {
        let Some((_, at)) = origin.place() else {
            return true;
        };
        self.0.insert((format!("{at:?}"), message.to_owned()))
    }
}

impl Overlay {
    fn code_for(&self, policy: &str) -> Vec<Written<'static>> {
        let own = self.code.iter().filter(|(id, ..)| id == policy);
        own.map(|(_, field, value)| Written {
            field: field.clone(),
            value: value.clone(),
            origin: Origin::CODE,
            node: None,
        })
        .collect()
    }

    fn report_unknown(&self, ids: &[&str], findings: &mut Findings) {
        for (id, field, _) in self.code.iter().filter(|(id, ..)| !ids.contains(&id.as_str())) {
            let problem = Problem::of_file("code", format!("there is no policy {}", shown(id)));
            let near = nearest(id, ids.iter().copied());
            findings.add(|| problem.meant(near).field(&format!("{POLICIES}.{id}.{field}")));
        }
    }
}
