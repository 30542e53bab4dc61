//! The store or server a command uses.
//!
//! Commands use an [`Api`], which is either a local store or a remote server. It is selected by
//! flag, by environment variable, or defaults to the store of the current directory.

mod server;
mod store;

use std::future::Future;

use clap::Args;
use nix::unistd::{User, getuid};
use steadfast_api::remote::Remote;
use steadfast_api::{Api, Local};
use steadfast_store::Actor;

use crate::cli::Common;
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::Printable;
use crate::policies::PolicyCatalog;
use crate::watch::Watch;
use server::TokenFlags;
pub(crate) use store::{StoreTarget, open_error};

/// Store and server flags.
#[derive(Debug, Args)]
#[command(next_help_heading = "Store")]
pub(crate) struct Target {
    /// Store URL: sqlite:PATH or postgres://USER@HOST/DATABASE [env: STEADFAST_STORE] [default:
    /// sqlite:steadfast.db]
    #[arg(long, value_name = "URL")]
    store: Option<String>,

    /// Server URL, instead of a store, such as http://127.0.0.1:7700 [env: STEADFAST_SERVER]
    #[arg(long, value_name = "URL", conflicts_with = "store")]
    server: Option<String>,

    #[command(flatten)]
    token: TokenFlags,
}

pub(crate) enum ResolvedTarget {
    Store(String),
    Server(String),
}

impl Target {
    pub(crate) fn resolve(&self) -> Result<ResolvedTarget, CliError> {
        if let Some(address) = &self.server {
            return Ok(ResolvedTarget::Server(address.clone()));
        }
        match (server::from_env(), store::from_env()) {
            (Some(_), Some(_)) if self.store.is_none() => Err(both_are_set()),
            (Some(address), None) if self.store.is_none() => {
                Ok(ResolvedTarget::Server(server::address_of(address)?))
            }
            _ => match self.token.given_flag() {
                Some(flag) => Err(CliError::usage(format!("{flag} is only valid with --server"))
                    .with_help(format!("name the server with --server, or omit {flag}"))),
                None => Ok(ResolvedTarget::Store(store::url(self.store.as_deref())?)),
            },
        }
    }

    /// Opens the target. A store must exist.
    pub(crate) async fn open(&self) -> Result<Box<dyn Api>, CliError> {
        self.open_with(async |url| {
            store::require_existing(url, store::is_named(self.store.as_deref()))?;
            store::open(url).await
        })
        .await
    }

    /// Opens a server, or a store by its URL.
    async fn open_with(
        &self,
        store: impl AsyncFnOnce(&str) -> Result<Local, CliError>,
    ) -> Result<Box<dyn Api>, CliError> {
        match self.resolve()? {
            ResolvedTarget::Server(address) => Ok(Box::new(self.remote(&address)?)),
            ResolvedTarget::Store(url) => Ok(Box::new(store(&url).await?)),
        }
    }

    /// Runs a command on the target and prints its result.
    pub(crate) fn print<A: Printable>(
        &self,
        common: &Common,
        act: impl AsyncFnOnce(&dyn Api) -> Result<A, CliError>,
    ) -> Result<Exit, CliError> {
        let result = block_on(async { act(&*self.open().await?).await })?;
        common.print(&result)
    }

    /// Asks the target and shows the result, with `--watch` again and again.
    pub(crate) fn show<A: Printable>(
        &self,
        watch: &Watch,
        common: &Common,
        ask: impl AsyncFn(&dyn Api) -> Result<A, CliError>,
    ) -> Result<Exit, CliError> {
        block_on(async {
            let api = self.open().await?;
            watch.show(common, async || ask(&*api).await).await
        })
    }

    /// Opens the target to submit to. A store is created if needed and gets the policies of the policy
    /// file; a server has its own.
    pub(crate) async fn open_or_create(&self, common: &Common) -> Result<Box<dyn Api>, CliError> {
        self.open_with(async |url| store::open_with_policies(url, common).await).await
    }

    /// Opens the target for a preview that stores nothing.
    pub(crate) async fn open_for_preview(&self, common: &Common) -> Result<Box<dyn Api>, CliError> {
        self.open_with(async |_| store::open_with_policies("sqlite::memory:", common).await).await
    }

    pub(crate) fn remote(&self, address: &str) -> Result<Remote, CliError> {
        server::remote(address, &self.token)
    }

    /// The policies that task policies are resolved in, unless a server does it.
    pub(crate) fn policies(&self, common: &Common) -> Result<Option<PolicyCatalog>, CliError> {
        match self.resolve()? {
            ResolvedTarget::Server(_) => Ok(None),
            ResolvedTarget::Store(_) => PolicyCatalog::load(common.config.as_deref()).map(Some),
        }
    }

    /// The target's identity, without secrets.
    pub(crate) fn identity(&self) -> Result<String, CliError> {
        Ok(match self.resolve()? {
            ResolvedTarget::Store(url) => store::identity(&url),
            ResolvedTarget::Server(address) => address,
        })
    }
}

fn both_are_set() -> CliError {
    CliError::configuration("STEADFAST_SERVER and STEADFAST_STORE are both set")
        .with_help("unset one of them, or choose one with --server or --store")
}

/// The actor recorded in the audit log.
pub(crate) fn current_user() -> Actor {
    let user = getuid();
    let name = User::from_uid(user).ok().flatten().map(|user| user.name);
    let host = nix::unistd::gethostname().unwrap_or_default();
    let mut actor = Actor::new(name.unwrap_or_else(|| format!("uid {user}")));
    actor.origin = Some(format!("cli@{}", host.to_string_lossy()));
    actor
}

/// Runs a future on a single-threaded runtime.
pub(crate) fn block_on<T>(
    future: impl Future<Output = Result<T, CliError>>,
) -> Result<T, CliError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime
        .map_err(|why| CliError::failed(format!("cannot start the async runtime: {why}")))?;
    runtime.block_on(future)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// K3: the audit log has an actor and its origin.
    #[test]
    fn current_user_has_name_and_origin() {
        let user = current_user();
        assert!(!user.name.is_empty());
        assert!(user.origin.is_some_and(|from| from.starts_with("cli@")));
    }
}
