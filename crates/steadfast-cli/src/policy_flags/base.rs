//! What the flags of a policy stand on: a ready-made policy, or one of the policy file.

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgMatches};
use steadfast::policy::{Draft, PRESETS};

use crate::policies::{self, Known};
use crate::problem::Problem;

pub(super) const PRESET: &str = "preset";
pub(super) const POLICY: &str = "policy";

/// A policy by its name.
#[derive(Clone, Debug)]
pub(super) enum Base {
    /// A ready-made one, whatever the policy file says of it.
    Preset(String),
    /// The one that the name leads to.
    Policy(String),
}

impl Base {
    pub(super) fn name(&self) -> &str {
        let (Self::Preset(name) | Self::Policy(name)) = self;
        name
    }

    /// Whether the policy file has to be read for it.
    pub(super) fn needs_file(&self) -> bool {
        matches!(self, Self::Policy(_))
    }

    /// The policy, out of those of the file if they were read.
    pub(super) fn draft(&self, known: Option<&Known>) -> Result<Draft, Problem> {
        match (self, known) {
            (Self::Policy(name), Some(known)) => known.draft(name),
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
        .help("Start from a ready-made policy");
    let policy = Arg::new(POLICY)
        .long(POLICY)
        .value_name("NAME")
        .help("Start from the policy of this name, in the policy file or ready-made");
    [preset, policy]
}

/// Those that were named, in the order of the command line.
pub(super) fn named(matches: &ArgMatches) -> Vec<Base> {
    let mut named: Vec<(usize, Base)> = Vec::new();
    for (flag, base) in [(PRESET, Base::Preset as fn(String) -> Base), (POLICY, Base::Policy)] {
        let places = matches.indices_of(flag).into_iter().flatten();
        let names = matches.get_many::<String>(flag).into_iter().flatten();
        named.extend(places.zip(names).map(|(place, name)| (place, base(name.clone()))));
    }
    named.sort_by_key(|(place, _)| *place);
    named.into_iter().map(|(_, base)| base).collect()
}
