//! A server, and who asks it.
//!
//! A token on the command line is read by everybody on the machine who runs `ps`, so there are
//! two better ways, and the flag says so.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::Args;
use steadfast_api::remote::Remote;

use crate::problem::Problem;

/// The variable that names the server for every command.
const VARIABLE: &str = "STEADFAST_SERVER";
/// The variable that says who asks it.
const TOKEN: &str = "STEADFAST_TOKEN";

/// Who asks a server.
#[derive(Debug, Args)]
#[command(next_help_heading = "Store")]
pub(super) struct TokenFlags {
    /// A token for the server. Others on this machine can see it here: better set STEADFAST_TOKEN,
    /// or use --token-file [env: STEADFAST_TOKEN]
    #[arg(long, value_name = "TOKEN", conflicts_with = "token_file", hide_short_help = true)]
    token: Option<String>,

    /// A file with the token in it
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    token_file: Option<PathBuf>,
}

impl TokenFlags {
    pub(super) const fn is_given(&self) -> bool {
        self.token.is_some() || self.token_file.is_some()
    }

    fn token(&self) -> Result<Option<String>, Problem> {
        match (&self.token, &self.token_file) {
            (Some(token), _) => Ok(Some(token.clone())),
            (None, Some(file)) => read(file).map(Some),
            (None, None) => of_variable(),
        }
    }
}

/// A server to be asked. Nothing is sent yet.
pub(super) fn remote(address: &str, flags: &TokenFlags) -> Result<Remote, Problem> {
    let remote = Remote::new(address)?;
    match flags.token()? {
        Some(token) => Ok(remote.with_token(&token)?),
        None => Ok(remote),
    }
}

/// What the variable says, if it says anything.
pub(super) fn by_variable() -> Option<OsString> {
    std::env::var_os(VARIABLE).filter(|address| !address.is_empty())
}

/// The address that the variable has.
pub(super) fn address_of(variable: OsString) -> Result<String, Problem> {
    variable.into_string().map_err(|_| {
        Problem::configuration(format!("{VARIABLE} is not readable as text"))
            .with_next("write it like http://127.0.0.1:7700".to_owned())
    })
}

fn of_variable() -> Result<Option<String>, Problem> {
    let Some(token) = std::env::var_os(TOKEN).filter(|token| !token.is_empty()) else {
        return Ok(None);
    };
    token.into_string().map(Some).map_err(|_| {
        Problem::configuration(format!("{TOKEN} is not readable as text"))
            .with_next("set it to a token, or unset it".to_owned())
    })
}

fn read(file: &Path) -> Result<String, Problem> {
    let unread = |why: &dyn std::fmt::Display| {
        Problem::configuration(format!("no token can be read from {}: {why}", file.display()))
            .with_next("put the token into it, and nothing else".to_owned())
    };
    let text = std::fs::read_to_string(file).map_err(|why| unread(&why))?;
    match text.trim() {
        "" => Err(unread(&"it is empty")),
        token => Ok(token.to_owned()),
    }
}
