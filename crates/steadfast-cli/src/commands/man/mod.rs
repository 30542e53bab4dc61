//! `steadfast man`: the help of every command as pages of the manual.

mod page;

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::{Args, CommandFactory};
use serde::Serialize;

use crate::cli::{Cli, Common};
use crate::error::CliError;
use crate::exit::Exit;
use crate::help::{Example, Section, after_help};
use crate::output::file::{self, IfExists};
use crate::output::{self, Printable, counted};
use page::page;

const EXAMPLES: &[Example] = &[
    ("steadfast man", "the first page; read it with | man -l -"),
    ("steadfast man ~/.local/share/man/man1", "every page, where man finds them"),
];

const INSTALL: Section = (
    "How to install them",
    &[
        ("for you", "mkdir -p ~/.local/share/man/man1 && steadfast man ~/.local/share/man/man1"),
        ("for all", "sudo steadfast man /usr/local/share/man/man1"),
        ("then", "man steadfast, man steadfast-policy-plan"),
    ],
);

/// Write the help as pages of the manual.
///
/// With a directory, a page for each command is written into it, over those that are there.
/// Without one, the page of `steadfast` itself goes to stdout.
#[derive(Debug, Args)]
#[command(after_help = after_help(EXAMPLES, &[INSTALL]))]
pub(crate) struct Man {
    /// The directory to write every page into
    #[arg(value_name = "DIR")]
    directory: Option<PathBuf>,
}

impl Man {
    pub(crate) fn run(&self, common: &Common) -> Result<Exit, CliError> {
        let mut program = Cli::command().disable_help_subcommand(true);
        program.build();
        let Some(directory) = &self.directory else {
            output::print_raw(&render(&program)?)?;
            return Ok(Exit::Success);
        };
        let mut written = ManPages { pages: Vec::new() };
        write_all(&program, directory, &mut written)?;
        common.output().print(&written)?;
        Ok(Exit::Success)
    }
}

/// A command and all below it.
fn write_all(
    command: &clap::Command,
    directory: &Path,
    written: &mut ManPages,
) -> Result<(), CliError> {
    let name = command.get_display_name().unwrap_or_else(|| command.get_name());
    let file = directory.join(format!("{name}.1"));
    if !directory.is_dir() {
        return Err(CliError::failed(format!("{} is no directory", directory.display()))
            .with_help(format!("make it first: mkdir -p {}", directory.display())));
    }
    file::write(&file, &render(command)?, IfExists::Replace)?;
    written.pages.push(file);
    command.get_subcommands().try_for_each(|inner| write_all(inner, directory, written))
}

fn render(command: &clap::Command) -> Result<Vec<u8>, CliError> {
    page(command).map_err(|why| CliError::failed(format!("the page could not be made: {why}")))
}

/// The pages that were written.
#[derive(Serialize)]
struct ManPages {
    pages: Vec<PathBuf>,
}

impl Printable for ManPages {
    fn write_text(&self, page: &mut dyn Write) -> io::Result<()> {
        let directory = self.pages.first().and_then(|page| page.parent());
        let pages = counted(self.pages.len(), "page", "pages");
        writeln!(page, "{pages} in {}", directory.unwrap_or(Path::new(".")).display())
    }
}
