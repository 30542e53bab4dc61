//! The store target.

use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

use clap::Args;
use steadfast::observe::Redactor;
use steadfast_api::{ApiError, ErrorKind, Local};
use steadfast_store::Store;

use super::{current_user, server};
use crate::cli::Common;
use crate::error::CliError;
use crate::policies::PolicyCatalog;

const DEFAULT_STORE_URL: &str = "sqlite:steadfast.db";

const STORE_ENV: &str = "STEADFAST_STORE";

/// Store flags, for commands that cannot use a server.
#[derive(Debug, Args)]
#[command(next_help_heading = "Store")]
pub(crate) struct StoreTarget {
    /// Store URL: sqlite:PATH or postgres://USER@HOST/DATABASE [env: STEADFAST_STORE] [default:
    /// sqlite:steadfast.db]
    #[arg(long, value_name = "URL")]
    store: Option<String>,

    /// Accepted only to report a useful error.
    #[arg(long, value_name = "URL", hide = true)]
    server: Option<String>,
}

impl StoreTarget {
    pub(crate) fn url(&self) -> Result<String, CliError> {
        let is_named = self.store.is_some() || from_env().is_some();
        if self.server.is_some() || (!is_named && server::from_env().is_some()) {
            return Err(CliError::usage(
                "this command needs direct access to a store and cannot use a server",
            )
            .with_help("set the store with --store or STEADFAST_STORE"));
        }
        url(self.store.as_deref())
    }

    pub(crate) fn existing_url(&self) -> Result<String, CliError> {
        let url = self.url()?;
        require_existing(&url, is_named(self.store.as_deref()))?;
        Ok(url)
    }

    /// The store's identity, without secrets.
    pub(crate) fn identity(&self) -> Result<String, CliError> {
        Ok(identity(&self.url()?))
    }
}

/// The URL from the flag, the environment variable, or the default.
pub(super) fn url(flag: Option<&str>) -> Result<String, CliError> {
    let named = flag.map(OsString::from).or_else(from_env);
    let text = named.map_or_else(|| Ok(DEFAULT_STORE_URL.to_owned()), OsString::into_string);
    text.map_err(|_| {
        CliError::configuration(format!("{STORE_ENV} is not valid UTF-8"))
            .with_help("write the store as sqlite:PATH or postgres://USER@HOST/DATABASE")
    })
}

/// Read here and not by clap, for the same reason as the policy file.
pub(super) fn from_env() -> Option<OsString> {
    std::env::var_os(STORE_ENV).filter(|url| !url.is_empty())
}

pub(super) fn is_named(flag: Option<&str>) -> bool {
    flag.is_some() || from_env().is_some()
}

/// Fails if the file does not exist. Creating an empty store for a misspelled name would look
/// healthy.
pub(super) fn require_existing(url: &str, is_named: bool) -> Result<(), CliError> {
    let Some(file) = file_of(url).filter(|file| !Path::new(file).exists()) else {
        return Ok(());
    };
    let what = match is_named {
        false => format!("no store in this directory: {file} does not exist"),
        true => format!("store not found: {file} does not exist"),
    };
    Err(CliError::configuration(what).with_help(
        "use an existing store with --store or STEADFAST_STORE, or create one with `steadfast \
         submit`",
    ))
}

/// The identity of a store, without secrets.
pub(super) fn identity(url: &str) -> String {
    let bare = url.split_once('?').map_or(url, |(bare, _)| bare);
    let absolute = file_of(url).and_then(|file| std::path::absolute(file).ok());
    match absolute {
        Some(path) => format!("sqlite:{}", path.display()),
        None => Redactor::installed().text(bare).into_owned(),
    }
}

/// The file of an SQLite URL, if it has one.
fn file_of(url: &str) -> Option<&str> {
    let rest = url.strip_prefix("sqlite:")?;
    let path = rest.split_once('?').map_or(rest, |(path, _)| path);
    let path = path.strip_prefix("//").unwrap_or(path);
    (!path.is_empty() && path != ":memory:").then_some(path)
}

/// Opens a store; an SQLite file is created if it does not exist.
pub(super) async fn open(url: &str) -> Result<Local, CliError> {
    let store = Store::open(url).await.map_err(|error| open_error(url, error.into()))?;
    Ok(Local::new(store, current_user()))
}

/// Opens a store with the policies of the policy file.
pub(super) async fn open_with_policies(url: &str, common: &Common) -> Result<Local, CliError> {
    let catalog = PolicyCatalog::load(common.config.as_deref())?;
    Ok(open(url).await?.with_policies(Arc::new(catalog.policies)))
}

/// Names the store that could not be opened.
pub(crate) fn open_error(url: &str, error: ApiError) -> CliError {
    if error.kind == ErrorKind::WrongStore {
        return error.into();
    }
    let store = Redactor::installed().text(url).into_owned();
    let cause = error.with_cause();
    let what = match cause.starts_with("cannot open ") {
        true => cause.into_owned(),
        false => format!("cannot open the store {store}: {cause}"),
    };
    CliError::failed(what).maybe_help(error.next)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sqlite_file_is_parsed_from_url() {
        for (url, file) in [
            ("sqlite:steadfast.db", Some("steadfast.db")),
            ("sqlite:///var/tasks.db", Some("/var/tasks.db")),
            ("sqlite:tasks.db?synchronous=normal", Some("tasks.db")),
            ("sqlite::memory:", None),
            ("sqlite:", None),
            ("postgres://ada@db/tasks", None),
        ] {
            assert_eq!(file_of(url), file, "{url}");
        }
    }
}
