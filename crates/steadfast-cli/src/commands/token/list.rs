//! `steadfast token list`: tokens of a file.

use std::path::PathBuf;

use jiff::Timestamp;
use steadfast_server::{Token, Tokens};

use super::file;
use crate::commands::prelude::*;
use crate::output::relative_time;

const EXAMPLES: &[Example] = &[
    ("steadfast token list tokens.toml", "names, roles and expiry"),
    ("steadfast token list tokens.toml --json", "for a script"),
];

/// List the tokens of a file.
///
/// Shows names, roles and expiry, and reports all errors of the file.
#[derive(Debug, Args)]
#[command(after_help = after_help(EXAMPLES, &[]))]
pub(super) struct List {
    /// Tokens file
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

impl List {
    pub(super) fn run(&self, common: &Common) -> Result<Exit, CliError> {
        let tokens = file::read(&self.file)?;
        common.print(&Listed::new(&tokens, Timestamp::now()))
    }
}

#[derive(Serialize)]
#[serde(transparent)]
struct Listed {
    tokens: Vec<TokenRow>,
    #[serde(skip)]
    now: Timestamp,
}

#[derive(Serialize)]
struct TokenRow {
    name: String,
    role: &'static str,
    expires_at: Option<Timestamp>,
    expired: bool,
}

impl Listed {
    fn new(tokens: &Tokens, now: Timestamp) -> Self {
        let row = |token: &Token| TokenRow {
            name: token.name().to_owned(),
            role: token.role().name(),
            expires_at: token.expires_at(),
            expired: token.is_expired(now),
        };
        Self { tokens: tokens.iter().map(row).collect(), now }
    }

    fn expiry(&self, row: &TokenRow) -> String {
        match row.expires_at {
            None => "never".to_owned(),
            Some(end) => relative_time::from_now(end, self.now),
        }
    }
}

impl Printable for Listed {
    fn write_text(&self, page: &mut dyn Write) -> io::Result<()> {
        if self.tokens.is_empty() {
            return writeln!(page, "no tokens: create one with `steadfast token new`");
        }
        let mut table = Table::with_columns(&["name", "role", "expires"], &[]);
        for row in &self.tokens {
            let role = row.role.to_owned();
            table.row([row.name.clone(), role, self.expiry(row)]);
        }
        table.write(page)
    }
}
