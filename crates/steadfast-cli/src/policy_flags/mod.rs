//! Policy flags, shared by all commands that take a policy.
//!
//! The flags are generated from the library's field list and parsed by the library, so new fields
//! become flags and errors are the same as for the policy file. Flags override the base policy.

mod base;
mod fields;

use std::path::Path;
use std::sync::Arc;

use clap::{ArgMatches, Command};
use steadfast::Policy;
use steadfast::policy::{Draft, PolicyError};
use steadfast_api::PolicyChoice;

use crate::error::CliError;
use crate::help::Section;
use base::Base;

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

/// Flags for one policy, or with `MANY` for several to compare: `--preset` and `--policy` may be
/// repeated, and the other flags apply to each.
#[derive(Clone, Debug, Default)]
pub(crate) struct PolicyFlags<const MANY: bool = false> {
    bases: Vec<Base>,
    fields: Vec<(&'static str, String)>,
}

pub(crate) type MultiplePolicies = PolicyFlags<true>;

impl PolicyFlags {
    /// Builds the policy. `config` is the policy file given by flag.
    pub(crate) fn policy(&self, config: Option<&Path>) -> Result<Policy, CliError> {
        self.build(self.bases.first(), config)
    }

    /// The policy for a task, or `None` without any policy flag. A name alone stays a name, resolved
    /// when the task is run.
    pub(crate) fn choice(&self, config: Option<&Path>) -> Result<Option<PolicyChoice>, CliError> {
        match (self.bases.as_slice(), self.fields.as_slice()) {
            ([], []) => Ok(None),
            ([Base::Policy(name)], []) => Ok(Some(PolicyChoice::Named(name.clone()))),
            _ => Ok(Some(PolicyChoice::Given(Arc::new(self.policy(config)?)))),
        }
    }
}

impl MultiplePolicies {
    /// Builds each policy, with the name it was given by; the default policy if none was named.
    pub(crate) fn policies(
        &self,
        config: Option<&Path>,
    ) -> Result<Vec<(Option<&str>, Policy)>, CliError> {
        if self.bases.is_empty() {
            return Ok(vec![(None, self.build(None, config)?)]);
        }
        let each =
            self.bases.iter().map(|base| Ok((Some(base.name()), self.build(Some(base), config)?)));
        each.collect()
    }
}

impl<const MANY: bool> PolicyFlags<MANY> {
    fn build(&self, base: Option<&Base>, config: Option<&Path>) -> Result<Policy, CliError> {
        let draft = base.map_or_else(|| Ok(Draft::new()), |base| base.draft(config))?;
        let draft = fields::apply(draft, &self.fields)
            .map_err(|errors| all(errors.iter().map(invalid_value)))?;
        let problems = draft.problems();
        let contradictions = problems.iter().map(|problem| self.contradiction(problem, base));
        draft.build().map_err(|_| all(contradictions))
    }

    /// Valid values that contradict each other. A field that no flag set comes from the base policy.
    fn contradiction(&self, problem: &PolicyError, base: Option<&Base>) -> CliError {
        let (what, field) = (problem.to_string(), problem.field());
        let change = format!("change {}", fields::flags_in(&what, &field).join(" or "));
        let is_given = self.fields.iter().any(|(given, _)| *given == field);
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

impl<const MANY: bool> clap::Args for PolicyFlags<MANY> {
    fn augment_args(command: Command) -> Command {
        let flags = base::flags(MANY).into_iter().chain(fields::flags());
        command.args(flags.map(|flag| flag.help_heading(HEADING)))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<const MANY: bool> clap::FromArgMatches for PolicyFlags<MANY> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Ok(Self { bases: base::named(matches), fields: fields::values(matches) })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
