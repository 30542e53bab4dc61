//! The policies of a file: layered, checked, and found by name.
//!
//! They are made whole or not at all, and never change: whoever holds them sees one
//! version of the file to the end. Names are looked up in one table, without a lock
//! and without an allocation.

use std::collections::HashMap;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::assemble::{Overlay, assemble};
use super::document::{self, Document};
use super::explain::Explanation;
use super::layers::Origins;
use super::names::Names;
use super::own::Own;
use super::problem::{Findings, Problem, Problems};
use super::{Format, Source, tree};
use crate::nearest::nearest;
use crate::policy::{Draft, Policy};

/// The policy for names that have none of their own (F6).
pub(super) const DEFAULT: &str = "default";

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
    /// Keys of the writer's own, in the order of the file.
    pub(crate) own: Vec<Own>,
    pub(super) source: Source,
}

#[derive(Debug)]
struct Named {
    policy: Arc<Policy>,
    route: Route,
    /// Where it is listed.
    place: usize,
}

#[derive(Debug)]
pub(super) struct Listed {
    pub(super) policy: Arc<Policy>,
    /// What all layers wrote.
    pub(super) draft: Draft,
    pub(super) origins: Origins,
    pub(super) ready_made: bool,
}

/// A name that a file maps to a policy.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
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

impl Policies {
    /// These policies, the default among them, by their ids and by the names that a document
    /// maps to them. A policy's own id wins over a mapped name.
    pub(super) fn of(
        source: &Source,
        listed: Vec<Listed>,
        document: &Document<'_>,
    ) -> Option<Self> {
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
        let (own, source) = (document.own.clone(), source.clone());
        Some(Self { named, operations, listed, mapped, default, own, source })
    }
}

impl Listed {
    fn id(&self) -> &str {
        self.policy.id().unwrap_or_default()
    }
}
