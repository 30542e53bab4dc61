//! `steadfast completions`: shell completion scripts.

use clap::CommandFactory;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap_complete::{Shell, generate};

use crate::cli::Cli;
use crate::commands::prelude::*;

const EXAMPLES: &[Example] = &[
    ("steadfast completions bash", "print the bash script"),
    ("steadfast completions zsh", "print the zsh script"),
];

/// Per-user installation, without root.
const INSTALL: Section = (
    "Installation",
    &[
        ("bash", "mkdir -p ~/.local/share/bash-completion/completions"),
        ("", "steadfast completions bash > ~/.local/share/bash-completion/completions/steadfast"),
        ("", "(requires the package bash-completion)"),
        ("zsh", "mkdir -p ~/.zfunc && steadfast completions zsh > ~/.zfunc/_steadfast"),
        ("", "in ~/.zshrc, before compinit: fpath=(~/.zfunc $fpath)"),
        ("fish", "steadfast completions fish > ~/.config/fish/completions/steadfast.fish"),
        ("powershell", "steadfast completions powershell >> $PROFILE"),
    ],
);

/// Print a shell completion script.
///
/// Save the script where your shell loads completions from, and open a new shell. Generate it
/// again after an upgrade.
#[derive(Debug, Args)]
#[command(after_help = after_help(EXAMPLES, &[INSTALL]))]
pub(crate) struct Completions {
    /// Shell to generate the script for
    #[arg(value_name = "SHELL", value_parser = shells())]
    shell: Shell,
}

fn shells() -> impl TypedValueParser<Value = Shell> {
    PossibleValuesParser::new(["bash", "zsh", "fish", "powershell"])
        .try_map(|name| name.parse::<Shell>())
}

impl Completions {
    /// Prints the script; `--json` has no effect.
    pub(crate) fn run(&self, _: &Common) -> Result<Exit, CliError> {
        let mut script = Vec::new();
        generate(self.shell, &mut Cli::command(), "steadfast", &mut script);
        output::print_raw(&script)?;
        Ok(Exit::Success)
    }
}
