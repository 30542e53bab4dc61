//! A policy as flags, the same for every command that takes one.
//!
//! The flags are made of the library's list of fields, and their values are read by the
//! library: a field that it learns is a flag here, and a value that it refuses is refused in
//! its words. What is written as a flag wins over what the preset or named policy says.

mod base;
mod fields;
mod several;

use std::path::Path;
use std::sync::Arc;

use clap::{ArgMatches, Command};
use steadfast::Policy;
use steadfast::policy::{Draft, PolicyError};
use steadfast_api::PolicyChoice;

use crate::help::Section;
use crate::policies::Known;
use crate::problem::Problem;
use base::Base;
pub(crate) use several::SeveralPolicies;

const HEADING: &str = "Policy";

/// What the values of the flags look like, for the end of a command's help.
pub(crate) const VALUES: Section = (
    "Values",
    &[
        ("DURATION", "500ms, 1.5s, 10m, 7d, PT30S, or a number of seconds"),
        ("RULE", "5xx, 503, 08, 40P01, timeout, connection, tls, io:connection_reset,"),
        ("", "grpc:UNAVAILABLE, exit:75, message:TEXT, a type's name, any"),
        ("RULES, DURATIONS", "several of them, with commas between: 5xx,429"),
    ],
);

/// A policy as it was written on the command line.
#[derive(Clone, Debug, Default)]
pub(crate) struct PolicyFlags {
    /// What the fields go over, if anything was named.
    base: Option<Base>,
    written: Written,
}

/// Fields and their values.
#[derive(Clone, Debug, Default)]
struct Written(Vec<(&'static str, String)>);

impl PolicyFlags {
    /// The policy that the flags make. `config` is the policy file that was named, if one was.
    pub(crate) fn policy(&self, config: Option<&Path>) -> Result<Policy, Problem> {
        let Some(base) = &self.base else {
            return self.written.over(Draft::new(), None);
        };
        let known = base.needs_file().then(|| Known::load(config)).transpose()?;
        self.written.over(base.draft(known.as_ref())?, Some(base))
    }
}

impl PolicyFlags {
    /// The policy that a task is to have; none if the flags say nothing of one. A name alone
    /// stays a name, for whoever takes the task to look up.
    pub(crate) fn choice(&self, config: Option<&Path>) -> Result<Option<PolicyChoice>, Problem> {
        match (&self.base, self.written.0.as_slice()) {
            (None, []) => Ok(None),
            (Some(Base::Policy(name)), []) => Ok(Some(PolicyChoice::Named(name.clone()))),
            _ => Ok(Some(PolicyChoice::Given(Arc::new(self.policy(config)?)))),
        }
    }
}

impl Written {
    fn over(&self, draft: Draft, base: Option<&Base>) -> Result<Policy, Problem> {
        let draft =
            fields::over(draft, &self.0).map_err(|refused| all(refused.iter().map(unreadable)))?;
        let problems = draft.problems();
        let contradictions = problems.iter().map(|problem| self.contradiction(problem, base));
        draft.build().map_err(|_| all(contradictions))
    }

    /// Values that are readable and do not go together. A field that no flag set came from
    /// below the flags.
    fn contradiction(&self, problem: &PolicyError, base: Option<&Base>) -> Problem {
        let (what, field) = (problem.to_string(), problem.field());
        let change = format!("change {}", fields::flags_in(&what, &field).join(" or "));
        let written = self.0.iter().any(|(written, _)| *written == field);
        let next = match base {
            Some(base) if !written => format!("{change}: {field} comes from `{}`", base.name()),
            _ => change,
        };
        Problem::usage(what).with_next(next)
    }
}

fn unreadable(refused: &PolicyError) -> Problem {
    let meant = refused.suggestion().map(|name| format!("did you mean {name}?"));
    Problem::usage(format!("{}: {}", fields::flag(&refused.field()), refused.message()))
        .with_next(meant)
}

fn all(problems: impl IntoIterator<Item = Problem>) -> Problem {
    Problem::all(problems).unwrap_or_else(|| Problem::usage("the flags make no policy"))
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
        Ok(Self { base, written: Written(fields::written(matches)) })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
