//! A policy as flags, the same for every command that takes one.
//!
//! The flags are made of the library's list of fields, and their values are read by the
//! library: a field that it learns is a flag here, and a value that it refuses is refused in
//! its words. What is written as a flag wins over what the preset or named policy says.

mod fields;

use std::path::Path;

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgMatches, Command};
use steadfast::Policy;
use steadfast::policy::{Draft, PRESETS, PolicyError};

use crate::help::Section;
use crate::policies::{self, Known};
use crate::problem::Problem;

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
    preset: Option<String>,
    policy: Option<String>,
    /// Fields and their values.
    written: Vec<(&'static str, String)>,
}

impl PolicyFlags {
    /// The policy that the flags make. `config` is the policy file that was named, if one was.
    pub(crate) fn policy(&self, config: Option<&Path>) -> Result<Policy, Problem> {
        let base = self.base(config)?;
        let draft = fields::over(base, &self.written)
            .map_err(|refused| all(refused.iter().map(unreadable)))?;
        let problems = draft.problems();
        draft.build().map_err(|_| all(problems.iter().map(|problem| self.contradiction(problem))))
    }

    /// What the flags stand on.
    fn base(&self, config: Option<&Path>) -> Result<Draft, Problem> {
        match (&self.policy, &self.preset) {
            (Some(name), _) => Known::load(config)?.draft(name),
            (None, Some(name)) => policies::preset(name),
            (None, None) => Ok(Draft::new()),
        }
    }

    /// Values that are readable and do not go together. A field that no flag set came from
    /// below the flags.
    fn contradiction(&self, problem: &PolicyError) -> Problem {
        let (what, field) = (problem.to_string(), problem.field());
        let change = format!("change {}", fields::flags_in(&what, &field).join(" or "));
        let written = self.written.iter().any(|(written, _)| *written == field);
        let next = match self.preset.as_ref().or(self.policy.as_ref()) {
            Some(base) if !written => format!("{change}: {field} comes from `{base}`"),
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
        let preset = Arg::new("preset")
            .long("preset")
            .value_name("NAME")
            .value_parser(PossibleValuesParser::new(PRESETS))
            .conflicts_with("policy")
            .help("Start from a ready-made policy")
            .help_heading(HEADING);
        let policy = Arg::new("policy")
            .long("policy")
            .value_name("NAME")
            .help("Start from the policy of this name")
            .help_heading(HEADING);
        command.arg(preset).arg(policy).args(fields::flags().map(|flag| flag.help_heading(HEADING)))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl clap::FromArgMatches for PolicyFlags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Ok(Self {
            preset: matches.get_one("preset").cloned(),
            policy: matches.get_one("policy").cloned(),
            written: fields::written(matches),
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
