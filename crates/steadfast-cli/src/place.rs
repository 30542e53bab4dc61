//! Where tasks are, for every command that asks about them.
//!
//! Commands ask an [`Api`] and never a store, so that they will not notice when what answers is
//! a server. Here it is said which one they ask.

use std::ffi::OsString;
use std::future::Future;
use std::path::Path;
use std::sync::Arc;

use clap::Args;
use nix::unistd::{User, getuid};
use steadfast::observe::Redactor;
use steadfast_api::{Api, ApiError, ErrorKind, Local};
use steadfast_store::{By, Store};

use crate::cli::Common;
use crate::policies::Known;
use crate::problem::Problem;

/// The store that is opened when none is named.
const USUAL: &str = "sqlite:steadfast.db";

/// The variable that names the store for every command.
const VARIABLE: &str = "STEADFAST_STORE";

/// Which store.
#[derive(Debug, Args)]
#[command(next_help_heading = "Store")]
pub(crate) struct Place {
    /// Where tasks are kept: sqlite:PATH or postgres://USER@HOST/DATABASE [env: STEADFAST_STORE]
    /// [default: sqlite:steadfast.db]
    #[arg(long, value_name = "URL")]
    store: Option<String>,
}

impl Place {
    /// Opens a store to look into it or to steer it. It has to be there: an empty one, made by a
    /// slip in its name, would say that all is well.
    pub(crate) async fn look(&self) -> Result<Box<dyn Api>, Problem> {
        Ok(Box::new(local(&self.existing()?).await?))
    }

    /// What a store is opened by that has to be there.
    pub(crate) fn existing(&self) -> Result<String, Problem> {
        let url = self.url()?;
        match file_of(&url) {
            Some(file) if !Path::new(file).exists() => Err(self.nothing_at(file)),
            _ => Ok(url),
        }
    }

    /// Opens a store to put something into it, under the policies of the policy file. A file
    /// that is not there is made.
    pub(crate) async fn make(&self, common: &Common) -> Result<Box<dyn Api>, Problem> {
        let known = Known::load(common.config.as_deref())?;
        let local = local(&self.url()?).await?;
        Ok(Box::new(local.with_policies(Arc::new(known.into_policies()))))
    }

    /// What the store is opened by.
    pub(crate) fn url(&self) -> Result<String, Problem> {
        let named = self.store.clone().map(OsString::from).or_else(by_variable);
        let text = named.map_or_else(|| Ok(USUAL.to_owned()), OsString::into_string);
        text.map_err(|_| {
            Problem::configuration(format!("{VARIABLE} is not readable as text")).with_next(
                "name the store as sqlite:PATH or postgres://USER@HOST/DATABASE".to_owned(),
            )
        })
    }

    /// What tells this store from all others, without its secrets.
    pub(crate) fn identity(&self) -> Result<String, Problem> {
        let url = self.url()?;
        let bare = url.split_once('?').map_or(url.as_str(), |(bare, _)| bare);
        let absolute = file_of(&url).and_then(|file| std::path::absolute(file).ok());
        Ok(match absolute {
            Some(path) => format!("sqlite:{}", path.display()),
            None => Redactor::installed().text(bare).into_owned(),
        })
    }

    fn nothing_at(&self, file: &str) -> Problem {
        let what = match self.store.is_none() && by_variable().is_none() {
            true => format!("there is no store here: {file} does not exist"),
            false => format!("there is no store at {file}"),
        };
        Problem::configuration(what).with_next(
            "name one that is there with --store or STEADFAST_STORE, or begin one with `steadfast \
             submit`"
                .to_owned(),
        )
    }
}

/// A store that is gone afterwards, under the policies of the policy file: for dry runs.
pub(crate) async fn rehearsal(common: &Common) -> Result<Box<dyn Api>, Problem> {
    let known = Known::load(common.config.as_deref())?;
    let local = local("sqlite::memory:").await?;
    Ok(Box::new(local.with_policies(Arc::new(known.into_policies()))))
}

/// Read here and not by the parser, as for the policy file.
fn by_variable() -> Option<OsString> {
    std::env::var_os(VARIABLE).filter(|url| !url.is_empty())
}

/// The file of an SQLite store that has one.
fn file_of(url: &str) -> Option<&str> {
    let rest = url.strip_prefix("sqlite:")?;
    let place = rest.split_once('?').map_or(rest, |(place, _)| place);
    let place = place.strip_prefix("//").unwrap_or(place);
    (!place.is_empty() && place != ":memory:").then_some(place)
}

async fn local(url: &str) -> Result<Local, Problem> {
    let store = Store::open(url).await.map_err(|error| unopened(url, error.into()))?;
    Ok(Local::new(store, whoever_runs_this()))
}

/// Who has several stores wants to know which one it was.
pub(crate) fn unopened(url: &str, error: ApiError) -> Problem {
    if error.kind == ErrorKind::WrongStore {
        return error.into();
    }
    let store = Redactor::installed().text(url).into_owned();
    Problem::failed(format!("the store {store} cannot be opened: {}", error.detail))
        .with_next(error.next)
}

/// For the audit log.
pub(crate) fn whoever_runs_this() -> By {
    let user = getuid();
    let name = User::from_uid(user).ok().flatten().map(|user| user.name);
    let host = nix::unistd::gethostname().unwrap_or_default();
    let mut by = By::new(name.unwrap_or_else(|| format!("uid {user}")));
    by.from = Some(format!("cli@{}", host.to_string_lossy()));
    by
}

/// Waits for what a command asks.
pub(crate) fn block_on<T>(asked: impl Future<Output = Result<T, Problem>>) -> Result<T, Problem> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|why| Problem::failed(format!("cannot begin: {why}")))?;
    runtime.block_on(asked)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_of_a_store_is_what_its_url_names() {
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

    /// K3: the log says who and from where, whatever the system knows of them.
    #[test]
    fn somebody_runs_this() {
        let by = whoever_runs_this();
        assert!(!by.actor.is_empty());
        assert!(by.from.is_some_and(|from| from.starts_with("cli@")));
    }
}
