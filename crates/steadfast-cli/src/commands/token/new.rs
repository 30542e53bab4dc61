//! `steadfast token new`: a token, shown once.
//!
//! The token is all that goes to stdout, so that it can be piped to where it is kept and need
//! not be on a screen. What belongs into the file goes there, or to stderr.

use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use jiff::Timestamp;
use serde::Serialize;
use steadfast::duration;
use steadfast_server::{FreshToken, NoToken, Role};

use super::file;
use crate::cli::Common;
use crate::error::CliError;
use crate::exit::Exit;
use crate::help::{Example, Section, after_help};
use crate::output::{Printable, note};

const EXAMPLES: &[Example] = &[
    ("steadfast token new --name ada --role admin --into tokens.toml", "add it to the file"),
    ("steadfast token new --name ci --role operator --expires 90d", "for three months"),
];

const ROLES: Section = (
    "Roles",
    &[
        ("viewer", "looks at tasks, queues, policies and events"),
        ("operator", "also submits tasks, works on them and steers them"),
        ("admin", "also reads the audit log"),
    ],
);

/// Make a token.
///
/// Prints the token on stdout, once: only its hash is kept. Without --into the entry for the
/// tokens file is printed on stderr.
#[derive(Debug, Args)]
#[command(after_help = after_help(EXAMPLES, &[ROLES]))]
pub(super) struct New {
    /// Who has it, as the audit log will call them
    #[arg(long, value_name = "NAME")]
    name: String,

    /// What they may do: viewer, operator or admin
    #[arg(long, value_name = "ROLE")]
    role: Role,

    /// For how long it is worth something; for good unless said
    #[arg(long, value_name = "DURATION", value_parser = lifetime)]
    expires: Option<Duration>,

    /// Add its entry to this tokens file
    #[arg(long, value_name = "FILE")]
    into: Option<PathBuf>,
}

impl New {
    pub(super) fn run(&self, common: &Common) -> Result<Exit, CliError> {
        let token = FreshToken::new(&self.name, self.role, self.end()?).map_err(token_error)?;
        // Before it is shown: a token that nobody can use is worse than none.
        match &self.into {
            Some(into) => file::add(into, &token.entry())?,
            None if !common.json => show(&token.entry()),
            None => {}
        }
        common.output().print(&NewTokenOutput { token: token.secret(), entry: token.entry() })?;
        if let Some(into) = self.into.as_ref().filter(|_| !common.json) {
            note(&format!("its entry is in {}; the token is not shown again", into.display()));
        }
        Ok(Exit::Success)
    }

    fn end(&self) -> Result<Option<Timestamp>, CliError> {
        let Some(lifetime) = self.expires else {
            return Ok(None);
        };
        let end = Timestamp::now().checked_add(lifetime);
        end.map(Some).map_err(|_| {
            CliError::usage("--expires is beyond all times")
                .with_help("leave it out for a token that never expires".to_owned())
        })
    }
}

fn show(entry: &str) {
    note("put this into the tokens file; the token is not shown again");
    // Who has closed stderr does not want to know.
    let _ = write!(anstream::stderr(), "{entry}");
}

fn token_error(error: NoToken) -> CliError {
    match error {
        NoToken::Name(problem) => CliError::usage(format!("--name: {problem}"))
            .with_help("name whoever will have it, such as `ci`".to_owned()),
        other => CliError::failed(other.to_string()),
    }
}

fn lifetime(text: &str) -> Result<Duration, String> {
    match duration::parse(text).map_err(|why| why.to_string())? {
        Duration::ZERO => Err("it must be longer than nothing".to_owned()),
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
