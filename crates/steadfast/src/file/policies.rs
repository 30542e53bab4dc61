//! The policies of a file: layered, checked, and found by name.
//!
//! They are made whole or not at all, and never change: whoever holds them sees one
//! version of the file to the end. Names are looked up in one table, without a lock
//! and without an allocation.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use serde::Serialize;

use super::document::{self, Document, POLICIES, WrittenPolicy};
use super::environment::Variables;
use super::explain::Explanation;
use super::layers::{Layered, Origins, Written, at_origin};
use super::names::Names;
use super::origin::Origin;
use super::problem::{Findings, MAX_TOLD, Problem, Problems, shown};
use super::{Format, Source, tree};
use crate::nearest::nearest;
use crate::policy::{Draft, PRESETS, Policy, Setting};

/// The policy for names that have none of their own (F6).
const DEFAULT: &str = "default";

/// The policies of a file, and the ready-made ones.
///
/// ```
/// use steadfast::file::{Format, Policies, Source};
///
/// let text = r#"
/// version: "1.1.0"
/// policies:
///   saving: {max_attempts: 5}
/// subsystem_mappings:
///   browser: {state: {default: saving}}
/// "#;
/// let policies = Policies::parse(&Source::new("steadfast.yaml", text), Format::Yaml)?;
/// assert_eq!(policies.find("browser.state.timeout").max_attempts(), 5);
/// # Ok::<(), steadfast::file::Problems>(())
/// ```
#[derive(Debug)]
pub struct Policies {
    named: Names<Named>,
    /// What `subsystem.operation.default` is mapped to, by `subsystem.operation`.
    operations: Names<Arc<Policy>>,
    /// By id, in the order of the file; then those that are ready made.
    listed: Vec<Listed>,
    mapped: Vec<MappedName>,
    /// The policy `default`: the file's, or what its global defaults make of nothing.
    default: Arc<Policy>,
}

#[derive(Debug)]
struct Named {
    policy: Arc<Policy>,
    route: Route,
    /// Where it is listed.
    place: usize,
}

#[derive(Debug)]
struct Listed {
    policy: Arc<Policy>,
    /// What all layers wrote.
    draft: Draft,
    origins: Origins,
    ready_made: bool,
}

/// A name that a file maps to a policy.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[non_exhaustive]
pub struct MappedName {
    /// `subsystem.operation.case`.
    pub name: String,
    /// The policy's id.
    pub policy: String,
}

/// How a name led to a policy (F6).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Route {
    /// It is the policy's id.
    Id,
    /// The file maps it.
    Mapping,
    /// The file maps the operation's `default`.
    OperationDefault,
    /// It is a ready-made policy that the file does not define.
    Preset,
    /// Nothing else fits: the policy `default`.
    Default,
}

impl fmt::Display for Route {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Id => "the policy's id",
            Self::Mapping => "a subsystem mapping",
            Self::OperationDefault => "the operation's default",
            Self::Preset => "a ready-made policy",
            Self::Default => "the policy default",
        })
    }
}

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

impl Policies {
    /// Reads a file, with the variables of this process over it.
    ///
    /// # Errors
    /// Everything that is wrong with it (F2).
    pub fn read(path: impl AsRef<Path>) -> Result<Self, Problems> {
        let path = path.as_ref();
        let format = Format::of(path)?;
        Self::layered(&Source::read(path)?, format, &Overlay::of_process())
    }

    /// Reads a text, and nothing else.
    ///
    /// # Errors
    /// Everything that is wrong with it (F2).
    pub fn parse(source: &Source, format: Format) -> Result<Self, Problems> {
        Self::layered(source, format, &Overlay::default())
    }

    /// The same, with the variables of this process over it, as [`read`](Self::read) has them.
    ///
    /// # Errors
    /// Everything that is wrong with it or with a variable.
    pub fn parse_here(source: &Source, format: Format) -> Result<Self, Problems> {
        Self::layered(source, format, &Overlay::of_process())
    }

    /// The ready-made policies alone, with the variables of this process over them.
    ///
    /// # Errors
    /// A variable is wrong.
    pub fn ready_made() -> Result<Self, Problems> {
        Self::without_file(&Overlay::of_process())
    }

    pub(crate) fn without_file(overlay: &Overlay) -> Result<Self, Problems> {
        let source = Source::new("", "");
        let mut findings = Findings::new(&source);
        let policies = assemble(&source, &Document::default(), overlay, &mut findings);
        finish(policies, findings)
    }

    pub(crate) fn layered(
        source: &Source,
        format: Format,
        overlay: &Overlay,
    ) -> Result<Self, Problems> {
        let (tree, problems) = tree::parse(source, format);
        let mut findings = Findings::from(source, problems);
        let policies = match &tree {
            Some(tree) => {
                let document = document::read(source, tree, &mut findings);
                assemble(source, &document, overlay, &mut findings)
            }
            None => None,
        };
        finish(policies, findings)
    }

    /// The policy that a name leads to: a policy's id, or `subsystem.operation.case`, or
    /// that operation's `default`, or the policy `default` (F6).
    #[must_use]
    #[inline]
    pub fn find(&self, name: &str) -> &Arc<Policy> {
        self.route(name).0
    }

    /// The same, and how the name led there.
    #[must_use]
    #[inline]
    pub fn route(&self, name: &str) -> (&Arc<Policy>, Route) {
        match self.named.get(name) {
            Some(named) => (&named.policy, named.route),
            None => self.detour(name),
        }
    }

    fn detour(&self, name: &str) -> (&Arc<Policy>, Route) {
        match operation(name).and_then(|operation| self.operations.get(operation)) {
            Some(policy) => (policy, Route::OperationDefault),
            None => (&self.default, Route::Default),
        }
    }

    /// The policies of the file, in its order.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<Policy>> {
        self.listed.iter().filter(|listed| !listed.ready_made).map(|listed| &listed.policy)
    }

    /// Those of the file, and those that are ready made.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Arc<Policy>> {
        self.listed.iter().map(|listed| &listed.policy)
    }

    /// The policy of this id.
    #[must_use]
    pub fn by_id(&self, id: &str) -> Option<&Arc<Policy>> {
        let named = self.named.get(id)?;
        matches!(named.route, Route::Id | Route::Preset).then_some(&named.policy)
    }

    /// The names that the file maps to policies, in its order.
    #[must_use]
    pub fn mapped(&self) -> &[MappedName] {
        &self.mapped
    }

    /// Where each value of the policy that a name leads to came from.
    #[must_use]
    pub fn explain(&self, name: &str) -> Explanation {
        self.explained(self.find(name))
    }

    /// The same for one of these policies.
    pub(crate) fn explained(&self, policy: &Arc<Policy>) -> Explanation {
        let none = Origins::default();
        Explanation::new(policy, self.listed(policy).map_or(&none, |listed| &listed.origins))
    }

    /// The policy that a name leads to as it is written, to change it: what no layer wrote is
    /// still open.
    ///
    /// ```
    /// use steadfast::file::{Format, Policies, Source};
    ///
    /// let text = "version: '1.1.0'\npolicies:\n  calls: {max_retries: 4}\n";
    /// let policies = Policies::parse(&Source::new("steadfast.yaml", text), Format::Yaml)?;
    /// let mut slower = policies.draft("calls");
    /// slower.overwrite("base_delay", &"2m".into())?; // longer than max_delay, were it written
    /// assert_eq!(slower.build()?.max_attempts(), 5);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn draft(&self, name: &str) -> Draft {
        self.listed(self.find(name)).map(|listed| listed.draft.clone()).unwrap_or_default()
    }

    fn listed(&self, policy: &Arc<Policy>) -> Option<&Listed> {
        self.listed.get(self.named.get(policy.id()?)?.place)
    }

    /// The name that was probably meant by one that leads to the policy `default` only.
    #[must_use]
    pub fn nearest(&self, name: &str) -> Option<&str> {
        nearest(name, self.named.iter().chain(self.operations.iter()))
    }
}

fn finish(policies: Option<Policies>, findings: Findings) -> Result<Policies, Problems> {
    let file = findings.file().to_owned();
    Problems::unless_none(findings.finish())?;
    policies.ok_or_else(|| Problem::of_file(&file, "it holds no policies").into())
}

/// `subsystem.operation`, the first two parts of a name.
fn operation(name: &str) -> Option<&str> {
    let mut dots = name.bytes().enumerate().filter(|(_, byte)| *byte == b'.');
    dots.next()?;
    let end = dots.next().map_or(name.len(), |(end, _)| end);
    name.get(..end)
}

/// Nothing is made of a document that has a problem.
fn assemble(
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
    Policies::of(listed, document)
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

impl Policies {
    /// These policies, the default among them, by their ids and by the names that a document
    /// maps to them. A policy's own id wins over a mapped name.
    fn of(listed: Vec<Listed>, document: &Document<'_>) -> Option<Self> {
        let by_id: HashMap<&str, (usize, &Arc<Policy>)> = (0..)
            .zip(&listed)
            .map(|(place, listed)| (listed.id(), (place, &listed.policy)))
            .collect();
        let own = (0..).zip(&listed).map(|(place, listed)| {
            let route = if listed.ready_made { Route::Preset } else { Route::Id };
            (listed.id().to_owned(), Named { policy: listed.policy.clone(), route, place })
        });
        let mut names: Vec<(String, Named)> = own.collect();
        let mut operations = Vec::new();
        let mut mapped = Vec::new();
        for document::Mapping { subsystem, operation, case, policy: id, .. } in &document.mappings {
            let (place, policy) = *by_id.get(id.as_str())?;
            let operation = format!("{subsystem}.{operation}");
            let name = format!("{operation}.{case}");
            let route = Route::Mapping;
            names.push((name.clone(), Named { policy: policy.clone(), route, place }));
            if case == DEFAULT {
                operations.push((operation, policy.clone()));
            }
            mapped.push(MappedName { name, policy: id.clone() });
        }
        let (_, default) = *by_id.get(DEFAULT)?;
        let default = Arc::clone(default);
        let (named, operations) = (Names::new(names), Names::new(operations));
        Some(Self { named, operations, listed, mapped, default })
    }
}

impl Listed {
    fn id(&self) -> &str {
        self.policy.id().unwrap_or_default()
    }
}
