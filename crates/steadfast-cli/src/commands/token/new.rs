//! `steadfast token new`: token creation.
//!
//! Only the token goes to stdout, so that it can be piped to a secret store without being shown.
//! The entry goes to the file or to stderr.

use std::path::PathBuf;
use std::time::Duration;

use jiff::Timestamp;
use steadfast::duration;
use steadfast_server::{NewToken, NewTokenError, Role};

use super::file;
use crate::commands::prelude::*;

const EXAMPLES: &[Example] = &[
    ("steadfast token new --name ada --role admin --into tokens.toml", "add it to the file"),
    ("steadfast token new --name ci --role operator --expires 90d", "for three months"),
];

const ROLES: Section = (
    "Roles",
    &[
        ("viewer", "reads tasks, queues, policies and events"),
        ("operator", "also submits, claims and controls tasks"),
        ("admin", "also reads the audit log"),
    ],
);

/// Create a token.
///
/// Prints the token on stdout, once: only its hash is stored. Without --into, the entry for the
/// tokens file is printed on stderr.
#[derive(Debug, Args)]
#[command(after_help = after_help(EXAMPLES, &[ROLES]))]
pub(super) struct New {
    /// Name of the token's user, as recorded in the audit log
    #[arg(long, value_name = "NAME")]
    name: String,

    /// Role: viewer, operator or admin
    #[arg(long, value_name = "ROLE")]
    role: Role,

    /// Lifetime [default: never expires]
    #[arg(long, value_name = "DURATION", value_parser = lifetime)]
    expires: Option<Duration>,

    /// Append the entry to this tokens file [default: print it]
    #[arg(long, value_name = "FILE")]
    into: Option<PathBuf>,
}

impl New {
    pub(super) fn run(&self, common: &Common) -> Result<Exit, CliError> {
        let token = NewToken::new(&self.name, self.role, self.end()?).map_err(token_error)?;
        // Store the entry before showing the token: a token without an entry is useless.
        match &self.into {
            Some(into) => file::add(into, &token.entry())?,
            None if !common.json => show(&token.entry()),
            None => {}
        }
        common.print(&NewTokenOutput { token: token.secret(), entry: token.entry() })?;
        if let Some(into) = self.into.as_ref().filter(|_| !common.json) {
            note(&format!("entry added to {}; the token is not shown again", into.display()));
        }
        Ok(Exit::Success)
    }

    fn end(&self) -> Result<Option<Timestamp>, CliError> {
        let Some(lifetime) = self.expires else {
            return Ok(None);
        };
        let end = Timestamp::now().checked_add(lifetime);
        end.map(Some).map_err(|_| {
            CliError::usage("--expires is too long")
                .with_help("omit it for a token that never expires")
        })
    }
}

fn show(entry: &str) {
    note("add this to the tokens file; the token is not shown again");
    // A closed stderr is not an error.
    let _ = write!(anstream::stderr(), "{entry}");
}

fn token_error(error: NewTokenError) -> CliError {
    match error {
        NewTokenError::Name(problem) => CliError::usage(format!("--name: {problem}"))
            .with_help("name the person or program that uses the token, such as `ci`"),
        other => CliError::failed(other.to_string()),
    }
}

fn lifetime(text: &str) -> Result<Duration, String> {
    match duration::parse(text).map_err(|why| why.to_string())? {
        Duration::ZERO => Err("must be greater than 0".to_owned()),
        lifetime => Ok(lifetime),
    }
}

#[derive(Serialize)]
struct NewTokenOutput<'t> {
    token: &'t str,
    entry: String,
}

impl Printable for NewTokenOutput<'_> {
    fn write_text(&self, page: &mut dyn Write) -> io::Result<()> {
        writeln!(page, "{}", self.token)
    }
}
