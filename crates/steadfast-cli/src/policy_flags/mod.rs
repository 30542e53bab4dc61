//! Policy flags, shared by all commands that take a policy.
//!
//! The flags are generated from the library's field list and parsed by the library, so new fields
//! become flags and errors are the same as for the policy file. Flags override the base policy.

mod base;
mod fields;
mod multiple;

use std::path::Path;
use std::sync::Arc;

use clap::{ArgMatches, Command};
use steadfast::Policy;
use steadfast::policy::{Draft, PolicyError};
use steadfast_api::PolicyChoice;

use crate::error::CliError;
use crate::help::Section;
use crate::policies::PolicyCatalog;
use base::Base;
pub(crate) use multiple::MultiplePolicies;

const HEADING: &str = "Policy";

/// Value formats, for the end of a command's help.
pub(crate) const VALUES: Section = (
    "Values",
    &[
        ("DURATION", "500ms, 1.5s, 10m, 7d, PT30S, or a number of seconds"),
        ("RULE", "5xx, 503, 08, 40P01, timeout, connection, tls, io:connection_reset,"),
        ("", "grpc:UNAVAILABLE, exit:75, message:TEXT, a type's name, any"),
        ("RULES, DURATIONS", "comma-separated: 5xx,429"),
    ],
);

#[derive(Clone, Debug, Default)]
pub(crate) struct PolicyFlags {
    base: Option<Base>,
    fields: FieldValues,
}

#[derive(Clone, Debug, Default)]
struct FieldValues(Vec<(&'static str, String)>);

impl PolicyFlags {
    /// Builds the policy. `config` is the policy file given by flag.
    pub(crate) fn policy(&self, config: Option<&Path>) -> Result<Policy, CliError> {
        let Some(base) = &self.base else {
            return self.fields.apply(Draft::new(), None);
        };
        let catalog = base.needs_file().then(|| PolicyCatalog::load(config)).transpose()?;
        self.fields.apply(base.draft(catalog.as_ref())?, Some(base))
    }
}

impl PolicyFlags {
    /// The policy for a task, or `None` without any policy flag. A name alone stays a name, resolved
    /// when the task is run.
    pub(crate) fn choice(&self, config: Option<&Path>) -> Result<Option<PolicyChoice>, CliError> {
        match (&self.base, self.fields.0.as_slice()) {
            (None, []) => Ok(None),
            (Some(Base::Policy(name)), []) => Ok(Some(PolicyChoice::Named(name.clone()))),
            _ => Ok(Some(PolicyChoice::Given(Arc::new(self.policy(config)?)))),
        }
    }
}

impl FieldValues {
    fn apply(&self, draft: Draft, base: Option<&Base>) -> Result<Policy, CliError> {
        let draft = fields::apply(draft, &self.0)
            .map_err(|errors| all(errors.iter().map(invalid_value)))?;
        let problems = draft.problems();
        let contradictions = problems.iter().map(|problem| self.contradiction(problem, base));
        draft.build().map_err(|_| all(contradictions))
    }

    /// Valid values that contradict each other. A field that no flag set comes from the base policy.
    fn contradiction(&self, problem: &PolicyError, base: Option<&Base>) -> CliError {
        let (what, field) = (problem.to_string(), problem.field());
        let change = format!("change {}", fields::flags_in(&what, &field).join(" or "));
        let is_given = self.0.iter().any(|(given, _)| *given == field);
        let next = match base {
            Some(base) if !is_given => format!("{change}: {field} comes from `{}`", base.name()),
            _ => change,
        };
        CliError::usage(what).with_help(next)
    }
}

fn invalid_value(error: &PolicyError) -> CliError {
    let meant = error.suggestion().map(|name| format!("did you mean {name}?"));
    CliError::usage(format!("{}: {}", fields::flag(&error.field()), error.message()))
        .maybe_help(meant)
}

fn all(problems: impl IntoIterator<Item = CliError>) -> CliError {
    CliError::all(problems)
        .unwrap_or_else(|| CliError::usage("the flags do not form a valid policy"))
}

impl clap::Args for PolicyFlags {
    fn augment_args(command: Command) -> Command {
        let [preset, policy] = base::flags();
        let flags =
            [preset.conflicts_with(base::POLICY), policy].into_iter().chain(fields::flags());
        command.args(flags.map(|flag| flag.help_heading(HEADING)))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl clap::FromArgMatches for PolicyFlags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let base = base::named(matches).into_iter().next();
        Ok(Self { base, fields: FieldValues(fields::values(matches)) })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
