//! The base of a policy given by flags: a preset or a policy of the policy file.

use std::path::Path;

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches};
use steadfast::policy::{Draft, PRESETS};

use crate::error::CliError;
use crate::policies::{self, PolicyCatalog};

const PRESET: &str = "preset";
const POLICY: &str = "policy";

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

    pub(super) fn draft(&self, config: Option<&Path>) -> Result<Draft, CliError> {
        match self {
            Self::Policy(name) => PolicyCatalog::load(config)?.draft(name),
            Self::Preset(name) => policies::preset(name),
        }
    }
}

/// `--preset` and `--policy`, of which there may be one or `many`.
pub(super) fn flags(many: bool) -> [Arg; 2] {
    let preset = Arg::new(PRESET)
        .long(PRESET)
        .value_parser(PossibleValuesParser::new(PRESETS))
        .help("Start from a preset");
    let policy = Arg::new(POLICY)
        .long(POLICY)
        .help("Start from this policy of the policy file, or from this preset");
    let [preset, policy] = [preset, policy].map(|flag| flag.value_name("NAME"));
    if !many {
        return [preset.conflicts_with(POLICY), policy];
    }
    [preset, policy].map(|flag| {
        let help = flag.get_help().map(ToString::to_string).unwrap_or_default();
        flag.action(ArgAction::Append).help(format!("{help}; may be repeated"))
    })
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
