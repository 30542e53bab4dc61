//! `steadfast completions`: what a shell needs to complete our commands, flags and names.

use clap::{Args, CommandFactory, ValueEnum};
use clap_complete::{Shell, generate};

use crate::cli::Cli;
use crate::exit::Exit;
use crate::help::{Example, Section, after_help};
use crate::output;
use crate::problem::Problem;

const EXAMPLES: &[Example] = &[
    ("steadfast completions bash", "the script for bash"),
    ("steadfast completions zsh", "and for zsh"),
];

/// Each for one person, without asking for rights.
const INSTALL: Section = (
    "How to install it",
    &[
        ("bash", "mkdir -p ~/.local/share/bash-completion/completions"),
        ("", "steadfast completions bash > ~/.local/share/bash-completion/completions/steadfast"),
        ("", "(wants the package bash-completion)"),
        ("zsh", "mkdir -p ~/.zfunc && steadfast completions zsh > ~/.zfunc/_steadfast"),
        ("", "and before compinit in ~/.zshrc: fpath=(~/.zfunc $fpath)"),
        ("fish", "steadfast completions fish > ~/.config/fish/completions/steadfast.fish"),
        ("powershell", "steadfast completions powershell >> $PROFILE"),
    ],
);

/// Print what a shell needs to complete commands, flags and names.
///
/// The script goes to stdout: keep it where your shell looks for such scripts, and open a new
/// shell. It belongs to this version of the program; make it anew after an upgrade.
#[derive(Debug, Args)]
#[command(after_help = after_help(EXAMPLES, &[INSTALL]))]
pub(crate) struct Completions {
    /// The shell
    #[arg(value_enum, value_name = "SHELL")]
    shell: Known,
}

/// Those whose scripts we know how to install.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Known {
    Bash,
    Zsh,
    Fish,
    #[value(name = "powershell")]
    PowerShell,
}

impl From<Known> for Shell {
    fn from(known: Known) -> Self {
        match known {
            Known::Bash => Self::Bash,
            Known::Zsh => Self::Zsh,
            Known::Fish => Self::Fish,
            Known::PowerShell => Self::PowerShell,
        }
    }
}

impl Completions {
    /// The same for people and machines.
    pub(crate) fn run(&self) -> Result<Exit, Problem> {
        let mut script = Vec::new();
        generate(Shell::from(self.shell), &mut Cli::command(), "steadfast", &mut script);
        output::print_raw(&script)?;
        Ok(Exit::Good)
    }
}
