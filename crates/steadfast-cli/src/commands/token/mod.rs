//! `steadfast token`: API tokens of a server (K1).

mod file;
mod list;
mod new;

pub(crate) use file::file_error as tokens_file_error;

use crate::commands::prelude::*;

const EXAMPLES: &[Example] = &[
    ("steadfast token new --name ada --role admin --into tokens.toml", "create the first token"),
    ("steadfast token new --name ci --role operator --expires 90d", "print the entry for the file"),
    ("steadfast token list tokens.toml", "list the tokens"),
];

command_group! {
    /// Create and list API tokens.
    ///
    /// A server with a tokens file requires a token. The file has names, roles and hashes; the token
    /// itself is shown only once, when it is created. Revoke a token by deleting its entry: a running
    /// server reloads the file within seconds.
    #[command(after_help = after_help(EXAMPLES, &[]))]
    TokenCommand {
        List(list::List),
        New(new::New),
    }
}
