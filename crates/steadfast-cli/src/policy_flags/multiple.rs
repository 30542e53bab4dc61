//! Several policies to compare: repeated `--preset` and `--policy`, with the other flags applied to
//! each.

use std::path::Path;

use clap::{ArgAction, ArgMatches, Command};
use steadfast::Policy;
use steadfast::policy::Draft;

use super::base::{self, Base};
use super::{FieldValues, HEADING, fields};
use crate::error::CliError;
use crate::policies::PolicyCatalog;

#[derive(Clone, Debug, Default)]
pub(crate) struct MultiplePolicies {
    bases: Vec<Base>,
    fields: FieldValues,
}

impl MultiplePolicies {
    /// Builds each policy, with the name it was given by; the default policy if none was named.
    pub(crate) fn policies(
        &self,
        config: Option<&Path>,
    ) -> Result<Vec<(Option<&str>, Policy)>, CliError> {
        if self.bases.is_empty() {
            return Ok(vec![(None, self.fields.apply(Draft::new(), None)?)]);
        }
        let needs_file = self.bases.iter().any(Base::needs_file);
        let catalog = needs_file.then(|| PolicyCatalog::load(config)).transpose()?;
        let each = self.bases.iter().map(|base| {
            let policy = self.fields.apply(base.draft(catalog.as_ref())?, Some(base))?;
            Ok((Some(base.name()), policy))
        });
        each.collect()
    }
}

impl clap::Args for MultiplePolicies {
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

impl clap::FromArgMatches for MultiplePolicies {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Ok(Self { bases: base::named(matches), fields: FieldValues(fields::values(matches)) })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
