//! Where tasks are, for every command that asks about them.
//!
//! Commands ask an [`Api`] and never a store, so they do not notice when what answers is a
//! server. Here it is said which one they ask: what the command line names, or what the
//! environment names, or the store of this directory.

mod server;
mod store;

use std::future::Future;

use clap::Args;
use nix::unistd::{User, getuid};
use steadfast_api::Api;
use steadfast_api::remote::Remote;
use steadfast_store::Actor;

use crate::cli::Common;
use crate::policies::Known;
use crate::problem::Problem;
use server::TokenFlags;
pub(crate) use store::{StorePlace, unopened};

/// Which store, or which server.
#[derive(Debug, Args)]
#[command(next_help_heading = "Store")]
pub(crate) struct Place {
    /// Where tasks are kept: sqlite:PATH or postgres://USER@HOST/DATABASE [env: STEADFAST_STORE]
    /// [default: sqlite:steadfast.db]
    #[arg(long, value_name = "URL")]
    store: Option<String>,

    /// Ask a server instead, such as http://127.0.0.1:7700 [env: STEADFAST_SERVER]
    #[arg(long, value_name = "URL", conflicts_with = "store")]
    server: Option<String>,

    #[command(flatten)]
    token: TokenFlags,
}

/// What was chosen.
pub(crate) enum Chosen {
    /// The store that is opened by this.
    Store(String),
    /// The server at this address.
    Server(String),
}

impl Place {
    /// What the command line says, or else the environment.
    pub(crate) fn chosen(&self) -> Result<Chosen, Problem> {
        if let Some(address) = &self.server {
            return Ok(Chosen::Server(address.clone()));
        }
        match (server::by_variable(), store::by_variable()) {
            (Some(_), Some(_)) if self.store.is_none() => Err(both_are_set()),
            (Some(address), None) if self.store.is_none() => {
                Ok(Chosen::Server(server::address_of(address)?))
            }
            _ if self.token.is_given() => Err(Problem::usage("a store asks nobody for a token")
                .with_next("name the server with --server, or leave the token out".to_owned())),
            _ => Ok(Chosen::Store(store::url(self.store.as_deref())?)),
        }
    }

    /// A store or a server to look into or to steer. A store has to be there.
    pub(crate) async fn look(&self) -> Result<Box<dyn Api>, Problem> {
        match self.chosen()? {
            Chosen::Server(address) => Ok(Box::new(self.remote(&address)?)),
            Chosen::Store(url) => {
                store::has_to_be_there(&url, store::is_named(self.store.as_deref()))?;
                Ok(Box::new(store::open(&url).await?))
            }
        }
    }

    /// One to put something into. A server has policies of its own; a store gets those of the
    /// policy file, and is made if it is not there.
    pub(crate) async fn make(&self, common: &Common) -> Result<Box<dyn Api>, Problem> {
        match self.chosen()? {
            Chosen::Server(address) => Ok(Box::new(self.remote(&address)?)),
            Chosen::Store(url) => Ok(Box::new(store::open_with_policies(&url, common).await?)),
        }
    }

    /// One that can be asked what would be, and keeps nothing.
    pub(crate) async fn rehearse(&self, common: &Common) -> Result<Box<dyn Api>, Problem> {
        match self.chosen()? {
            Chosen::Server(address) => Ok(Box::new(self.remote(&address)?)),
            Chosen::Store(_) => {
                Ok(Box::new(store::open_with_policies("sqlite::memory:", common).await?))
            }
        }
    }

    /// The server at this address, asked by whoever has the token.
    pub(crate) fn remote(&self, address: &str) -> Result<Remote, Problem> {
        server::remote(address, &self.token)
    }

    /// The policies that names in tasks are looked up in, if that is done here.
    pub(crate) fn policies(&self, common: &Common) -> Result<Option<Known>, Problem> {
        match self.chosen()? {
            Chosen::Server(_) => Ok(None),
            Chosen::Store(_) => Known::load(common.config.as_deref()).map(Some),
        }
    }

    /// What tells this place from all others, without its secrets.
    pub(crate) fn identity(&self) -> Result<String, Problem> {
        Ok(match self.chosen()? {
            Chosen::Store(url) => store::identity(&url),
            Chosen::Server(address) => address,
        })
    }
}

fn both_are_set() -> Problem {
    Problem::configuration("STEADFAST_SERVER and STEADFAST_STORE are both set")
        .with_next("unset one of them, or say which is meant with --server or --store".to_owned())
}

/// For the audit log.
pub(crate) fn current_user() -> Actor {
    let user = getuid();
    let name = User::from_uid(user).ok().flatten().map(|user| user.name);
    let host = nix::unistd::gethostname().unwrap_or_default();
    let mut by = Actor::new(name.unwrap_or_else(|| format!("uid {user}")));
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

    /// K3: the log says who and from where, whatever the system knows of them.
    #[test]
    fn somebody_runs_this() {
        let by = current_user();
        assert!(!by.actor.is_empty());
        assert!(by.from.is_some_and(|from| from.starts_with("cli@")));
    }
}
