//! `steadfast token`: the tokens that a server asks for (K1).

mod file;
mod list;
mod new;

use clap::{Args, Subcommand};

pub(crate) use file::file_error as tokens_file_error;

use crate::cli::Common;
use crate::error::CliError;
use crate::exit::Exit;
use crate::help::{Example, after_help};

const EXAMPLES: &[Example] = &[
    ("steadfast token new --name ada --role admin --into tokens.toml", "the first one"),
    ("steadfast token new --name ci --role operator --expires 90d", "and the entry for the file"),
    ("steadfast token list tokens.toml", "who may come in?"),
];

/// Make tokens for a server, and list them.
///
/// A server asks for tokens if it has a tokens file. The file holds names, roles and hashes, and
/// no token: one is shown when it is made, and never again. A token is taken back by deleting its
/// entry; a server that runs reads its file again within seconds.
#[derive(Debug, Args)]
#[command(after_help = after_help(EXAMPLES, &[]), arg_required_else_help = true)]
pub(crate) struct TokenCommand {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    List(list::List),
    New(new::New),
}

impl TokenCommand {
    pub(crate) fn run(&self, common: &Common) -> Result<Exit, CliError> {
        match &self.command {
            Command::List(list) => list.run(common),
            Command::New(new) => new.run(common),
        }
    }
}
