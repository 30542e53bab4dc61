//! Several policies side by side: `--preset` and `--policy` as often as one likes, the other
//! flags over each of them.

use std::path::Path;

use clap::{ArgAction, ArgMatches, Command};
use steadfast::Policy;
use steadfast::policy::Draft;

use super::base::{self, Base};
use super::{HEADING, Written, fields};
use crate::policies::Known;
use crate::problem::Problem;

/// Policies as they were written on the command line.
#[derive(Clone, Debug, Default)]
pub(crate) struct SeveralPolicies {
    bases: Vec<Base>,
    written: Written,
}

impl SeveralPolicies {
    /// Each policy, with the name that it was asked for by; the defaults if none was asked for.
    pub(crate) fn policies(
        &self,
        config: Option<&Path>,
    ) -> Result<Vec<(Option<&str>, Policy)>, Problem> {
        if self.bases.is_empty() {
            return Ok(vec![(None, self.written.over(Draft::new(), None)?)]);
        }
        let needs_file = self.bases.iter().any(Base::needs_file);
        let known = needs_file.then(|| Known::load(config)).transpose()?;
        let each = self.bases.iter().map(|base| {
            let policy = self.written.over(base.draft(known.as_ref())?, Some(base))?;
            Ok((Some(base.name()), policy))
        });
        each.collect()
    }
}

impl clap::Args for SeveralPolicies {
    fn augment_args(command: Command) -> Command {
        let bases = base::flags().map(|flag| {
            let help = flag.get_help().map(ToString::to_string).unwrap_or_default();
            flag.action(ArgAction::Append).help(format!("{help}; may be repeated"))
        });
        let flags = bases.into_iter().chain(fields::flags());
        command.args(flags.map(|flag| flag.help_heading(HEADING)))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl clap::FromArgMatches for SeveralPolicies {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Ok(Self { bases: base::named(matches), written: Written(fields::written(matches)) })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
