//! `steadfast man`: man pages generated from the help.

mod page;

use std::path::{Path, PathBuf};

use clap::CommandFactory;

use crate::cli::Cli;
use crate::commands::prelude::*;
use crate::output::file;
use page::page;

const EXAMPLES: &[Example] = &[
    ("steadfast man", "print the main page; view it with | man -l -"),
    ("steadfast man ~/.local/share/man/man1", "write all pages"),
];

const INSTALL: Section = (
    "Installation",
    &[
        ("user", "mkdir -p ~/.local/share/man/man1 && steadfast man ~/.local/share/man/man1"),
        ("system", "sudo steadfast man /usr/local/share/man/man1"),
        ("view", "man steadfast, man steadfast-policy-plan"),
    ],
);

/// Generate man pages.
///
/// With a directory, writes a page for each command, replacing existing ones. Without one, prints
/// the page of `steadfast` itself.
#[derive(Debug, Args)]
#[command(after_help = after_help(EXAMPLES, &[INSTALL]))]
pub(crate) struct Man {
    /// Directory to write the pages to [default: print the main page]
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
        common.print(&written)
    }
}

fn write_all(
    command: &clap::Command,
    directory: &Path,
    written: &mut ManPages,
) -> Result<(), CliError> {
    let name = command.get_display_name().unwrap_or_else(|| command.get_name());
    let file = directory.join(format!("{name}.1"));
    if !directory.is_dir() {
        let shown = directory.display();
        return Err(match directory.exists() {
            true => CliError::failed(format!("{shown} is not a directory"))
                .with_help("pass a directory, such as ~/.local/share/man/man1"),
            false => CliError::failed(format!("{shown} does not exist"))
                .with_help(format!("create it with mkdir -p {shown}")),
        });
    }
    file::write(&file, &render(command)?, true)?;
    written.pages.push(file);
    command.get_subcommands().try_for_each(|inner| write_all(inner, directory, written))
}

fn render(command: &clap::Command) -> Result<Vec<u8>, CliError> {
    page(command).map_err(|why| CliError::failed(format!("cannot generate the page: {why}")))
}

#[derive(Serialize)]
struct ManPages {
    pages: Vec<PathBuf>,
}

impl Printable for ManPages {
    fn write_text(&self, page: &mut dyn Write) -> io::Result<()> {
        let directory = self.pages.first().and_then(|page| page.parent());
        let pages = counted(self.pages.len(), "page", "pages");
        writeln!(page, "{pages} written to {}", directory.unwrap_or(Path::new(".")).display())
    }
}
