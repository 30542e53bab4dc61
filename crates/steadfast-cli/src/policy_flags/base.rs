//! The base of a policy given by flags: a preset or a policy of the policy file.

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgMatches};
use steadfast::policy::{Draft, PRESETS};

use crate::error::CliError;
use crate::policies::{self, PolicyCatalog};

pub(super) const PRESET: &str = "preset";
pub(super) const POLICY: &str = "policy";

#[derive(Clone, Debug)]
pub(super) enum Base {
    /// A preset, ignoring the policy file.
    Preset(String),
    /// The policy a name resolves to.
    Policy(String),
}

impl Base {
    pub(super) fn name(&self) -> &str {
        let (Self::Preset(name) | Self::Policy(name)) = self;
        name
    }

    pub(super) fn needs_file(&self) -> bool {
        matches!(self, Self::Policy(_))
    }

    pub(super) fn draft(&self, catalog: Option<&PolicyCatalog>) -> Result<Draft, CliError> {
        match (self, catalog) {
            (Self::Policy(name), Some(catalog)) => catalog.draft(name),
            (Self::Policy(name) | Self::Preset(name), _) => policies::preset(name),
        }
    }
}

/// `--preset` and `--policy`.
pub(super) fn flags() -> [Arg; 2] {
    let preset = Arg::new(PRESET)
        .long(PRESET)
        .value_name("NAME")
        .value_parser(PossibleValuesParser::new(PRESETS))
        .help("Start from a preset");
    let policy = Arg::new(POLICY)
        .long(POLICY)
        .value_name("NAME")
        .help("Start from this policy of the policy file, or preset");
    [preset, policy]
}

/// The bases given, in command-line order.
pub(super) fn named(matches: &ArgMatches) -> Vec<Base> {
    let mut named: Vec<(usize, Base)> = Vec::new();
    for (flag, base) in [(PRESET, Base::Preset as fn(String) -> Base), (POLICY, Base::Policy)] {
        let indices = matches.indices_of(flag).into_iter().flatten();
        let names = matches.get_many::<String>(flag).into_iter().flatten();
        named.extend(indices.zip(names).map(|(index, name)| (index, base(name.clone()))));
    }
    named.sort_by_key(|(index, _)| *index);
    named.into_iter().map(|(_, base)| base).collect()
}
