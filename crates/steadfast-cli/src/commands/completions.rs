//! `steadfast completions`: shell completion scripts.

use clap::{CommandFactory, ValueEnum};
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
    #[arg(value_enum, value_name = "SHELL")]
    shell: SupportedShell,
}

/// The supported shells.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum SupportedShell {
    Bash,
    Zsh,
    Fish,
    #[value(name = "powershell")]
    PowerShell,
}

impl From<SupportedShell> for Shell {
    fn from(shell: SupportedShell) -> Self {
        match shell {
            SupportedShell::Bash => Self::Bash,
            SupportedShell::Zsh => Self::Zsh,
            SupportedShell::Fish => Self::Fish,
            SupportedShell::PowerShell => Self::PowerShell,
        }
    }
}

impl Completions {
    /// Prints the script; `--json` has no effect.
    pub(crate) fn run(&self) -> Result<Exit, CliError> {
        let mut script = Vec::new();
        generate(Shell::from(self.shell), &mut Cli::command(), "steadfast", &mut script);
        output::print_raw(&script)?;
        Ok(Exit::Success)
    }
}
