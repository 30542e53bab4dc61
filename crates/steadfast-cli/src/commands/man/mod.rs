//! `steadfast man`: the help of every command as pages of the manual.

mod page;

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::{Args, CommandFactory};
use serde::Serialize;

use crate::cli::{Cli, Common};
use crate::exit::Exit;
use crate::help::{Example, Section, after_help};
use crate::output::file::{self, IfThere};
use crate::output::{self, Answer, counted};
use crate::problem::Problem;
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
    pub(crate) fn run(&self, common: &Common) -> Result<Exit, Problem> {
        let mut program = Cli::command().disable_help_subcommand(true);
        program.build();
        let Some(directory) = &self.directory else {
            output::print_raw(&made(&program)?)?;
            return Ok(Exit::Good);
        };
        let mut written = Written { pages: Vec::new() };
        write_all(&program, directory, &mut written)?;
        common.output().answer(&written)?;
        Ok(Exit::Good)
    }
}

/// A command and all below it.
fn write_all(
    command: &clap::Command,
    directory: &Path,
    written: &mut Written,
) -> Result<(), Problem> {
    let name = command.get_display_name().unwrap_or_else(|| command.get_name());
    let file = directory.join(format!("{name}.1"));
    if !directory.is_dir() {
        return Err(Problem::failed(format!("{} is no directory", directory.display()))
            .with_next(format!("make it first: mkdir -p {}", directory.display())));
    }
    file::write(&file, &made(command)?, IfThere::Replace)?;
    written.pages.push(file);
    command.get_subcommands().try_for_each(|inner| write_all(inner, directory, written))
}

fn made(command: &clap::Command) -> Result<Vec<u8>, Problem> {
    page(command).map_err(|why| Problem::failed(format!("the page could not be made: {why}")))
}

/// The pages that were written.
#[derive(Serialize)]
struct Written {
    pages: Vec<PathBuf>,
}

impl Answer for Written {
    fn tell(&self, page: &mut dyn Write) -> io::Result<()> {
        let directory = self.pages.first().and_then(|page| page.parent());
        let pages = counted(self.pages.len(), "page", "pages");
        writeln!(page, "{pages} in {}", directory.unwrap_or(Path::new(".")).display())
    }
}
