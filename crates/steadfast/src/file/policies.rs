//! The validated policies of a file, with lookup by name.
//!
//! A set of policies is immutable: it is one version of the file. A lookup takes no lock and does
//! not allocate.

use std::collections::HashMap;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::assemble::{Overlay, assemble};
use super::document::{self, Document};
use super::explain::Explanation;
use super::extensions::Extension;
use super::layers::Origins;
use super::name_table::NameTable;
use super::problem::{Findings, Problem, Problems};
use super::{Format, Source, tree};
use crate::nearest::nearest;
use crate::policy::{Draft, Policy};

/// The policy for names without their own (F6).
pub(super) const DEFAULT: &str = "default";

/// The policies of a file, and the presets.
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
    named: NameTable<Named>,
    /// The policies of `subsystem.operation.default`, by `subsystem.operation`.
    operations: NameTable<Arc<Policy>>,
    /// In the order of the file, then the presets.
    listed: Vec<Listed>,
    mapped: Vec<MappedName>,
    /// The policy `default`: the file's, or the global defaults alone.
    default: Arc<Policy>,
    /// In the order of the file.
    pub(crate) extensions: Vec<Extension>,
    pub(super) source: Source,
}

#[derive(Debug)]
struct Named {
    policy: Arc<Policy>,
    route: Route,
    /// Its index in the list.
    index: usize,
}

#[derive(Debug)]
pub(super) struct Listed {
    pub(super) policy: Arc<Policy>,
    /// The values of all layers.
    pub(super) draft: Draft,
    pub(super) origins: Origins,
    pub(super) is_preset: bool,
}

/// A name that a policy file maps to a policy.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct MappedName {
    /// `subsystem.operation.case`.
    pub name: String,
    /// The id of the policy.
    pub policy: String,
}

/// How a name was resolved to a policy (F6).
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
    /// It is a preset that the file does not define.
    Preset,
    /// No match: the policy `default`.
    Default,
}

impl fmt::Display for Route {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Id => "the policy's id",
            Self::Mapping => "a subsystem mapping",
            Self::OperationDefault => "the operation's default",
            Self::Preset => "a preset",
            Self::Default => "the policy default",
        })
    }
}

impl Policies {
    /// Reads a file, with the environment variables of this process applied.
    ///
    /// # Errors
    /// All problems of the file (F2).
    pub fn read(path: impl AsRef<Path>) -> Result<Self, Problems> {
        let path = path.as_ref();
        let format = Format::of(path)?;
        Self::layered(&Source::read(path)?, format, &Overlay::from_env())
    }

    /// Parses a text, without environment variables.
    ///
    /// # Errors
    /// All problems of the file (F2).
    pub fn parse(source: &Source, format: Format) -> Result<Self, Problems> {
        Self::layered(source, format, &Overlay::default())
    }

    /// Parses a text, with the environment variables of this process applied.
    ///
    /// # Errors
    /// All problems of the text and the variables.
    pub fn parse_with_env(source: &Source, format: Format) -> Result<Self, Problems> {
        Self::layered(source, format, &Overlay::from_env())
    }

    /// The presets alone, with the environment variables of this process applied.
    ///
    /// # Errors
    /// A variable is invalid.
    pub fn presets() -> Result<Self, Problems> {
        Self::without_file(&Overlay::from_env())
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

    /// The policy for a name: a policy's id, `subsystem.operation.case`, that operation's `default`,
    /// or the policy `default` (F6).
    #[must_use]
    #[inline]
    pub fn find(&self, name: &str) -> &Arc<Policy> {
        self.route(name).0
    }

    /// The policy for a name, and how it was resolved.
    #[must_use]
    #[inline]
    pub fn route(&self, name: &str) -> (&Arc<Policy>, Route) {
        match self.named.get(name) {
            Some(named) => (&named.policy, named.route),
            None => self.fallback(name),
        }
    }

    fn fallback(&self, name: &str) -> (&Arc<Policy>, Route) {
        match operation(name).and_then(|operation| self.operations.get(operation)) {
            Some(policy) => (policy, Route::OperationDefault),
            None => (&self.default, Route::Default),
        }
    }

    /// The policies of the file, in its order.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<Policy>> {
        self.listed.iter().filter(|listed| !listed.is_preset).map(|listed| &listed.policy)
    }

    /// The policies of the file, and the presets.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Arc<Policy>> {
        self.listed.iter().map(|listed| &listed.policy)
    }

    /// The policy with this id.
    #[must_use]
    pub fn by_id(&self, id: &str) -> Option<&Arc<Policy>> {
        let named = self.named.get(id)?;
        matches!(named.route, Route::Id | Route::Preset).then_some(&named.policy)
    }

    /// The mapped names, in the order of the file.
    #[must_use]
    pub fn mapped(&self) -> &[MappedName] {
        &self.mapped
    }

    /// The values of the policy for a name, with their origins.
    #[must_use]
    pub fn explain(&self, name: &str) -> Explanation {
        self.explained(self.find(name))
    }

    /// The values of one of these policies, with their origins.
    pub(crate) fn explained(&self, policy: &Arc<Policy>) -> Explanation {
        let none = Origins::default();
        Explanation::new(policy, self.listed(policy).map_or(&none, |listed| &listed.origins))
    }

    /// The policy for a name as a draft, to change it: values that no layer sets stay unset.
    ///
    /// ```
    /// use steadfast::file::{Format, Policies, Source};
    ///
    /// let text = "version: '1.1.0'\npolicies:\n  calls: {max_retries: 4}\n";
    /// let policies = Policies::parse(&Source::new("steadfast.yaml", text), Format::Yaml)?;
    /// let mut slower = policies.draft("calls");
    /// slower.overwrite("base_delay", &"2m".into())?; // above the default max_delay
    /// assert_eq!(slower.build()?.max_attempts(), 5);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn draft(&self, name: &str) -> Draft {
        self.listed(self.find(name)).map(|listed| listed.draft.clone()).unwrap_or_default()
    }

    fn listed(&self, policy: &Arc<Policy>) -> Option<&Listed> {
        self.listed.get(self.named.get(policy.id()?)?.index)
    }

    /// The valid name nearest to one that only matches the policy `default`.
    #[must_use]
    pub fn nearest(&self, name: &str) -> Option<&str> {
        nearest(name, self.named.iter().chain(self.operations.iter()))
    }
}

fn finish(policies: Option<Policies>, findings: Findings) -> Result<Policies, Problems> {
    let file = findings.file().to_owned();
    Problems::into_result(findings.finish())?;
    policies.ok_or_else(|| Problem::of_file(&file, "the file has no policies").into())
}

/// `subsystem.operation`, the first two parts of a name.
fn operation(name: &str) -> Option<&str> {
    let mut dots = name.bytes().enumerate().filter(|(_, byte)| *byte == b'.');
    dots.next()?;
    let end = dots.next().map_or(name.len(), |(end, _)| end);
    name.get(..end)
}

impl Policies {
    /// Indexes policies by their ids and mapped names. An id takes precedence over a mapped name.
    pub(super) fn of(
        source: &Source,
        listed: Vec<Listed>,
        document: &Document<'_>,
    ) -> Option<Self> {
        let by_id: HashMap<&str, (usize, &Arc<Policy>)> = (0..)
            .zip(&listed)
            .map(|(index, listed)| (listed.id(), (index, &listed.policy)))
            .collect();
        let by_own_id = (0..).zip(&listed).map(|(index, listed)| {
            let route = if listed.is_preset { Route::Preset } else { Route::Id };
            (listed.id().to_owned(), Named { policy: listed.policy.clone(), route, index })
        });
        let mut names: Vec<(String, Named)> = by_own_id.collect();
        let mut operations = Vec::new();
        let mut mapped = Vec::new();
        for document::Mapping { subsystem, operation, case, policy: id, .. } in &document.mappings {
            let (index, policy) = *by_id.get(id.as_str())?;
            let operation = format!("{subsystem}.{operation}");
            let name = format!("{operation}.{case}");
            let route = Route::Mapping;
            names.push((name.clone(), Named { policy: policy.clone(), route, index }));
            if case == DEFAULT {
                operations.push((operation, policy.clone()));
            }
            mapped.push(MappedName { name, policy: id.clone() });
        }
        let (_, default) = *by_id.get(DEFAULT)?;
        let default = Arc::clone(default);
        let (named, operations) = (NameTable::new(names), NameTable::new(operations));
        let (extensions, source) = (document.extensions.clone(), source.clone());
        Some(Self { named, operations, listed, mapped, default, extensions, source })
    }
}

impl Listed {
    fn id(&self) -> &str {
        self.policy.id().unwrap_or_default()
    }
}
