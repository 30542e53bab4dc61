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
use steadfast::duration;
use steadfast::policy::{Draft, PolicyError};
use steadfast_api::PolicyChoice;

use crate::error::CliError;
use crate::help::Section;
use crate::policies::PolicyCatalog;
use base::Base;

const HEADING: &str = "Policy";

/// Value formats, for the end of a command's help.
pub(crate) const VALUES: Section = (
    "Values",
    &[
        ("DURATION", "500ms, 1.5s, 10m, 7d, PT30S, or a number of seconds"),
        ("RULE", "5xx, 503, 08, 40P01, timeout, connection, tls, io:connection_reset,"),
        ("", "grpc:UNAVAILABLE, exit:75, message:TEXT, a type name, any"),
        ("RULES, DURATIONS", "comma-separated: 5xx,429"),
    ],
);

const COMBINED: &str =
    "--policy combined with other policy flags is read from the local policy file";

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
            ([Base::Policy(name)], _) => {
                let catalog = PolicyCatalog::load(config)?;
                catalog.find(name).map_err(|unknown| unknown.and_help(COMBINED))?;
                Ok(Some(PolicyChoice::Given(Arc::new(self.policy(config)?))))
            }
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
        let draft = match base {
            Some(base @ Base::Policy(_)) => base.draft(config)?,
            // A file that is given but not used must still be valid.
            _ if config.is_some() => {
                PolicyCatalog::load(config)?;
                base.map_or_else(|| Ok(Draft::new()), |base| base.draft(config))?
            }
            Some(base) => base.draft(config)?,
            None => Draft::new(),
        };
        let draft = fields::apply(draft, &self.fields)
            .map_err(|errors| all(errors.iter().map(invalid_value)))?;
        if self.sets_zero("attempt_timeout") {
            // Valid in a file, where it may disable an operation; as a flag it is a mistake.
            return Err(CliError::usage("--attempt-timeout: must be greater than 0s"));
        }
        let problems = draft.problems();
        let contradictions = problems.iter().map(|problem| self.contradiction(problem, base));
        draft.build().map_err(|_| all(contradictions))
    }

    /// Whether a flag sets this duration to zero.
    fn sets_zero(&self, field: &str) -> bool {
        let is_zero = |value: &str| duration::parse(value).is_ok_and(|it| it.is_zero());
        self.fields.iter().any(|(given, value)| *given == field && is_zero(value))
    }

    /// Valid values that contradict each other. A field that no flag set comes from the base policy.
    fn contradiction(&self, problem: &PolicyError, base: Option<&Base>) -> CliError {
        let (what, field) = (problem.to_string(), problem.field());
        let is_given = self.fields.iter().any(|(given, _)| *given == field);
        let flags = fields::flags_in(&what, &field);
        if what.starts_with("set only one of") {
            return CliError::usage(format!("pass only one of {}", flags.join(" and ")));
        }
        let change = match what.ends_with("requires a schedule") {
            true => "pass --schedule, such as 1m,10m,1h".to_owned(),
            // The message names the only flag that can be changed.
            false if is_given && flags.len() < 2 => {
                let flag = fields::flag(&field);
                return CliError::usage(format!("{flag}: {}", problem.message()));
            }
            false => format!("change {}", flags.join(" or ")),
        };
        let next = match base {
            Some(base) if !is_given => format!("{change}: {field} comes from `{}`", base.name()),
            _ => change,
        };
        CliError::usage(what).with_help(next)
    }
}

fn invalid_value(error: &PolicyError) -> CliError {
    let meant = error.suggestion().map(|name| format!("did you mean `{name}`?"));
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
