//! Policies by name.
//!
//! All commands look up names here: in the policy file with environment variables applied, as a
//! program loads it (F3, F6). One difference: a program gets the policy `default` for an unknown
//! name, the command line reports an error.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use steadfast::__private::nearest;
use steadfast::Policy;
use steadfast::file::{Explanation, Policies, Route};
use steadfast::policy::{Draft, PRESETS};

use crate::config;
use crate::error::CliError;

/// The policies of the policy file and the presets.
pub(crate) struct PolicyCatalog {
    pub(crate) policies: Policies,
    /// The file they were loaded from, if any.
    pub(crate) file: Option<PathBuf>,
}

impl PolicyCatalog {
    /// Loads them. `config` is the policy file given by flag.
    pub(crate) fn load(config: Option<&Path>) -> Result<Self, CliError> {
        let file = config::locate(config)?;
        let policies = match &file {
            Some(file) => Policies::read(file)?,
            None => Policies::presets()?,
        };
        Ok(Self { policies, file })
    }

    /// The default policy and the presets, except those the file redefines.
    pub(crate) fn built_in(&self) -> impl Iterator<Item = &Arc<Policy>> {
        let names = std::iter::once("default").chain(PRESETS);
        names
            .map(|name| self.policies.route(name))
            .filter_map(|(policy, route)| matches!(route, Route::Preset).then_some(policy))
    }

    /// The policy of a name, and how the name resolved to it.
    pub(crate) fn find(&self, name: &str) -> Result<(&Arc<Policy>, Route), CliError> {
        match self.policies.route(name) {
            (_, Route::Default) => Err(self.unknown(name)),
            found => Ok(found),
        }
    }

    /// The policy of a name as a draft, for flags to override.
    pub(crate) fn draft(&self, name: &str) -> Result<Draft, CliError> {
        self.find(name)?;
        Ok(self.policies.draft(name))
    }

    /// The origin of each value of a policy.
    pub(crate) fn explain(&self, name: &str) -> Result<Explanation, CliError> {
        self.find(name)?;
        Ok(self.policies.explain(name))
    }

    fn unknown(&self, name: &str) -> CliError {
        let meant = self.policies.nearest(name).map(|near| format!("did you mean `{near}`? "));
        let (location, known) = match &self.file {
            Some(file) => (
                format!(" in {}", file.display()),
                "`steadfast policy list --names` lists all names".to_owned(),
            ),
            None => (
                String::new(),
                format!(
                    "the presets are {}; there is no {} in this directory",
                    PRESETS.join(", "),
                    config::DEFAULT_POLICY_FILE
                ),
            ),
        };
        CliError::usage(format!("unknown policy `{name}`{location}"))
            .with_help(format!("{}{known}", meant.unwrap_or_default()))
    }
}

/// How a name resolved to its policy.
pub(crate) fn resolved_by(route: Route) -> String {
    match route {
        Route::Id => "by its id".to_owned(),
        Route::Mapping => "by subsystem mapping".to_owned(),
        Route::OperationDefault => "by the operation's default".to_owned(),
        other => other.to_string(),
    }
}

/// The preset of this name, ignoring the policy file.
pub(crate) fn preset(name: &str) -> Result<Draft, CliError> {
    Draft::preset(name).ok_or_else(|| {
        let meant = nearest(name, PRESETS).map(|near| format!("did you mean `{near}`?"));
        CliError::usage(format!("unknown preset `{name}`"))
            .with_help(meant.unwrap_or_else(|| format!("use one of {}", PRESETS.join(", "))))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// F2: only a close name is suggested.
    #[test]
    fn only_a_close_preset_is_suggested() {
        let error = |name| preset(name).unwrap_err().render(80).to_string();
        assert!(error("sqll").contains("did you mean `sql`?"));
        assert!(error("flow").contains("use one of"));
    }
}
