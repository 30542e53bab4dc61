//! A store, named by a flag, by the environment, or by nobody.

use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

use clap::Args;
use steadfast::observe::Redactor;
use steadfast_api::{ApiError, ErrorKind, Local};
use steadfast_store::Store;

use super::{current_user, server};
use crate::cli::Common;
use crate::policies::Known;
use crate::problem::Problem;

/// The store that is opened when none is named.
const USUAL: &str = "sqlite:steadfast.db";

/// The variable that names the store for every command.
const VARIABLE: &str = "STEADFAST_STORE";

/// Which store, for commands that cannot do with a server.
#[derive(Debug, Args)]
#[command(next_help_heading = "Store")]
pub(crate) struct StorePlace {
    /// Where tasks are kept: sqlite:PATH or postgres://USER@HOST/DATABASE [env: STEADFAST_STORE]
    /// [default: sqlite:steadfast.db]
    #[arg(long, value_name = "URL")]
    store: Option<String>,

    /// It is taken in order to say what is wrong with it.
    #[arg(long, value_name = "URL", hide = true)]
    server: Option<String>,
}

impl StorePlace {
    /// What the store is opened by.
    pub(crate) fn url(&self) -> Result<String, Problem> {
        let is_named = self.store.is_some() || by_variable().is_some();
        if self.server.is_some() || (!is_named && server::by_variable().is_some()) {
            return Err(Problem::usage("this is done to a store itself, and not through a server")
                .with_next(
                    "name the store with --store or STEADFAST_STORE, where it can be reached"
                        .to_owned(),
                ));
        }
        url(self.store.as_deref())
    }

    /// What a store is opened by that has to be there.
    pub(crate) fn existing(&self) -> Result<String, Problem> {
        let url = self.url()?;
        has_to_be_there(&url, is_named(self.store.as_deref()))?;
        Ok(url)
    }

    /// What tells this store from all others, without its secrets.
    pub(crate) fn identity(&self) -> Result<String, Problem> {
        Ok(identity(&self.url()?))
    }
}

/// What a store is opened by: what the flag says, the variable, or what is usual.
pub(super) fn url(flag: Option<&str>) -> Result<String, Problem> {
    let named = flag.map(OsString::from).or_else(by_variable);
    let text = named.map_or_else(|| Ok(USUAL.to_owned()), OsString::into_string);
    text.map_err(|_| {
        Problem::configuration(format!("{VARIABLE} is not readable as text"))
            .with_next("name the store as sqlite:PATH or postgres://USER@HOST/DATABASE".to_owned())
    })
}

/// Read here and not by the parser, as for the policy file.
pub(super) fn by_variable() -> Option<OsString> {
    std::env::var_os(VARIABLE).filter(|url| !url.is_empty())
}

pub(super) fn is_named(flag: Option<&str>) -> bool {
    flag.is_some() || by_variable().is_some()
}

/// Refuses a file that is not there: an empty store, made by a slip in its name, would say that
/// all is well.
pub(super) fn has_to_be_there(url: &str, is_named: bool) -> Result<(), Problem> {
    let Some(file) = file_of(url).filter(|file| !Path::new(file).exists()) else {
        return Ok(());
    };
    let what = match is_named {
        false => format!("there is no store here: {file} does not exist"),
        true => format!("there is no store at {file}"),
    };
    Err(Problem::configuration(what).with_next(
        "name one that is there with --store or STEADFAST_STORE, or begin one with `steadfast \
         submit`"
            .to_owned(),
    ))
}

/// What tells a store from all others, without its secrets.
pub(super) fn identity(url: &str) -> String {
    let bare = url.split_once('?').map_or(url, |(bare, _)| bare);
    let absolute = file_of(url).and_then(|file| std::path::absolute(file).ok());
    match absolute {
        Some(path) => format!("sqlite:{}", path.display()),
        None => Redactor::installed().text(bare).into_owned(),
    }
}

/// The file of an SQLite store that has one.
fn file_of(url: &str) -> Option<&str> {
    let rest = url.strip_prefix("sqlite:")?;
    let place = rest.split_once('?').map_or(rest, |(place, _)| place);
    let place = place.strip_prefix("//").unwrap_or(place);
    (!place.is_empty() && place != ":memory:").then_some(place)
}

/// Opens a store. A file that is not there is made.
pub(super) async fn open(url: &str) -> Result<Local, Problem> {
    let store = Store::open(url).await.map_err(|error| unopened(url, error.into()))?;
    Ok(Local::new(store, current_user()))
}

/// The same under the policies of the policy file.
pub(super) async fn open_with_policies(url: &str, common: &Common) -> Result<Local, Problem> {
    let known = Known::load(common.config.as_deref())?;
    Ok(open(url).await?.with_policies(Arc::new(known.into_policies())))
}

/// Who has several stores wants to know which one it was.
pub(crate) fn unopened(url: &str, error: ApiError) -> Problem {
    if error.kind == ErrorKind::WrongStore {
        return error.into();
    }
    let store = Redactor::installed().text(url).into_owned();
    Problem::failed(format!("the store {store} cannot be opened: {}", error.with_cause()))
        .with_next(error.next)
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
}
