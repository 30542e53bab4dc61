//! `steadfast token list`: tokens of a file.

use std::path::PathBuf;

use jiff::Timestamp;
use steadfast_server::Token;

use super::file;
use crate::commands::prelude::*;
use crate::output::relative_time;

const EXAMPLES: &[Example] = &[
    ("steadfast token list tokens.toml", "names, roles and expiry"),
    ("steadfast token list tokens.toml --json", "for a script"),
];

/// List the tokens in a file.
///
/// Shows names, roles and expiry, and reports all errors in the file.
#[derive(Debug, Args)]
#[command(after_help = after_help(EXAMPLES, &[]))]
pub(super) struct List {
    /// Tokens file
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

impl List {
    pub(super) fn run(&self, common: &Common) -> Result<Exit, CliError> {
        let now = Timestamp::now();
        let row = |token: &Token| TokenRow {
            name: token.name().to_owned(),
            role: token.role().name(),
            expires_at: token.expires_at(),
            expired: token.is_expired(now),
        };
        let value: Vec<TokenRow> = file::read(&self.file)?.iter().map(row).collect();
        common.print(&AsOf { value, now })
    }
}

#[derive(Serialize)]
struct TokenRow {
    name: String,
    role: &'static str,
    expires_at: Option<Timestamp>,
    expired: bool,
}

impl Printable for AsOf<Vec<TokenRow>> {
    fn write_text(&self, page: &mut dyn Write) -> io::Result<()> {
        if self.value.is_empty() {
            return writeln!(page, "no tokens: create one with `steadfast token new`");
        }
        let mut table = Table::with_columns(&["name", "role", "expires"], &[]);
        for row in &self.value {
            let expiry = row.expires_at.map(|end| relative_time::from_now(end, self.now));
            let expiry = expiry.unwrap_or_else(|| "never".to_owned());
            table.row([row.name.clone(), row.role.to_owned(), expiry]);
        }
        table.write(page)
    }
}
