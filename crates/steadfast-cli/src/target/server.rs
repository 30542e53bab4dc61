//! The server target and its token.
//!
//! A token on the command line is visible to all users through `ps`; an environment variable or a
//! file is safer.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::Args;
use steadfast_api::remote::Remote;

use crate::error::CliError;

const SERVER_ENV: &str = "STEADFAST_SERVER";
const TOKEN_ENV: &str = "STEADFAST_TOKEN";

/// Token flags.
#[derive(Debug, Args)]
#[command(next_help_heading = "Store")]
pub(super) struct TokenFlags {
    /// API token for the server. Visible to other users in the process list: prefer STEADFAST_TOKEN
    /// or --token-file [env: STEADFAST_TOKEN]
    #[arg(long, value_name = "TOKEN", conflicts_with = "token_file", hide_short_help = true)]
    token: Option<String>,

    /// File that contains the API token
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    token_file: Option<PathBuf>,
}

impl TokenFlags {
    /// The name of the given flag.
    pub(super) const fn given_flag(&self) -> Option<&'static str> {
        match (&self.token, &self.token_file) {
            (Some(_), _) => Some("--token"),
            (None, Some(_)) => Some("--token-file"),
            (None, None) => None,
        }
    }

    fn token(&self) -> Result<Option<String>, CliError> {
        match (&self.token, &self.token_file) {
            (Some(token), _) => Ok(Some(token.clone())),
            (None, Some(file)) => read(file).map(Some),
            (None, None) => token_from_env(),
        }
    }
}

/// Creates the client. Nothing is sent yet.
pub(super) fn remote(address: &str, flags: &TokenFlags) -> Result<Remote, CliError> {
    let remote = Remote::new(address)?;
    match flags.token()? {
        Some(token) => Ok(remote.with_token(&token)?),
        None => Ok(remote),
    }
}

pub(super) fn from_env() -> Option<OsString> {
    std::env::var_os(SERVER_ENV).filter(|address| !address.is_empty())
}

pub(super) fn address_of(variable: OsString) -> Result<String, CliError> {
    variable.into_string().map_err(|_| {
        CliError::configuration(format!("{SERVER_ENV} is not valid UTF-8"))
            .with_help("set it to a URL such as http://127.0.0.1:7700")
    })
}

fn token_from_env() -> Result<Option<String>, CliError> {
    let Some(token) = std::env::var_os(TOKEN_ENV).filter(|token| !token.is_empty()) else {
        return Ok(None);
    };
    token.into_string().map(Some).map_err(|_| {
        CliError::configuration(format!("{TOKEN_ENV} is not valid UTF-8"))
            .with_help("set it to a token, or unset it")
    })
}

fn read(file: &Path) -> Result<String, CliError> {
    let read_error = |why: &dyn std::fmt::Display| {
        CliError::configuration(format!("cannot read a token from {}: {why}", file.display()))
            .with_help("the file must contain the token and nothing else")
    };
    let text = std::fs::read_to_string(file).map_err(|why| read_error(&why))?;
    match text.trim() {
        "" => Err(read_error(&"the file is empty")),
        token => Ok(token.to_owned()),
    }
}
