//! Policies by their names.
//!
//! Every command that takes a name asks here, so that a name means the same to all of them: the
//! policy file with the environment over it, as a program would load them (F3, F6). There is
//! one difference. A program that asks for a name that nobody knows gets the policy `default`;
//! a person who types one made a slip, and is told.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use steadfast::Policy;
use steadfast::file::{Explanation, MappedName, Policies, Route};
use steadfast::policy::{Draft, PRESETS};

use crate::config;
use crate::near_miss::nearest;
use crate::problem::Problem;

/// The policies that there are.
pub(crate) struct Known {
    policies: Policies,
    file: Option<PathBuf>,
}

/// A policy, and how a name led to it.
pub(crate) struct Found<'k> {
    pub(crate) policy: &'k Arc<Policy>,
    pub(crate) route: Route,
}

impl Known {
    /// Reads them. `config` is the policy file that was named, if one was.
    pub(crate) fn load(config: Option<&Path>) -> Result<Self, Problem> {
        let file = config::locate(config)?;
        let policies = match &file {
            Some(file) => Policies::read(file)?,
            None => Policies::presets()?,
        };
        Ok(Self { policies, file })
    }

    /// The file that they are from, if they are from one.
    pub(crate) fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// All of them.
    pub(crate) fn policies(&self) -> &Policies {
        &self.policies
    }

    /// The same to keep.
    pub(crate) fn into_policies(self) -> Policies {
        self.policies
    }

    /// Those of the file, in its order.
    pub(crate) fn written(&self) -> impl Iterator<Item = &Arc<Policy>> {
        self.policies.iter()
    }

    /// Those that are there whatever the file says, unless it says something else: the one for
    /// all other names, and the ready-made ones.
    pub(crate) fn unwritten(&self) -> impl Iterator<Item = &Arc<Policy>> {
        let names = std::iter::once("default").chain(PRESETS);
        names
            .map(|name| self.policies.route(name))
            .filter_map(|(policy, route)| matches!(route, Route::Preset).then_some(policy))
    }

    /// The names that the file maps to policies.
    pub(crate) fn mapped(&self) -> &[MappedName] {
        self.policies.mapped()
    }

    /// The policy that a name leads to.
    pub(crate) fn find(&self, name: &str) -> Result<Found<'_>, Problem> {
        match self.policies.route(name) {
            (_, Route::Default) => Err(self.unknown(name)),
            (policy, route) => Ok(Found { policy, route }),
        }
    }

    /// The same as it is written, for flags to go over it.
    pub(crate) fn draft(&self, name: &str) -> Result<Draft, Problem> {
        self.find(name)?;
        Ok(self.policies.draft(name))
    }

    /// Where each of its values came from.
    pub(crate) fn explain(&self, name: &str) -> Result<Explanation, Problem> {
        self.find(name)?;
        Ok(self.policies.explain(name))
    }

    fn unknown(&self, name: &str) -> Problem {
        let meant = self.policies.nearest(name).map(|near| format!("did you mean {near}? "));
        let (place, known) = match &self.file {
            Some(file) => (
                format!(" in {}", file.display()),
                "`steadfast policy list --names` shows every name".to_owned(),
            ),
            None => (
                String::new(),
                format!(
                    "the ready-made ones are {}; there is no {} here",
                    PRESETS.join(", "),
                    config::USUAL
                ),
            ),
        };
        Problem::usage(format!("there is no policy `{name}`{place}")).with_next(format!(
            "{}{known}; a program that asks for `{name}` gets the policy default",
            meant.unwrap_or_default()
        ))
    }
}

/// The ready-made policy of this name, whatever the file says of it.
pub(crate) fn preset(name: &str) -> Result<Draft, Problem> {
    Draft::preset(name).ok_or_else(|| {
        let meant = nearest(name, PRESETS).map(|near| format!("did you mean {near}?"));
        Problem::usage(format!("there is no preset `{name}`"))
            .with_next(meant.unwrap_or_else(|| format!("they are {}", PRESETS.join(", "))))
    })
}
