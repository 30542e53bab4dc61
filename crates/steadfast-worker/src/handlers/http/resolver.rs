//! From a name to addresses that may be called.
//!
//! A name that was checked and then looked up again may stand for another address by then: that
//! is how DNS rebinding works. So the client looks names up here, and connects to the very
//! addresses that were judged.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use async_trait::async_trait;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use super::super::Targets;

/// Finds the addresses of hosts.
#[async_trait]
pub trait Resolver: Send + Sync {
    /// The addresses that a host's name stands for.
    ///
    /// # Errors
    /// It stands for none, or nobody could be asked.
    async fn addresses(&self, host: &str) -> io::Result<Vec<IpAddr>>;
}

/// The system's resolver.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemResolver;

#[async_trait]
impl Resolver for SystemResolver {
    async fn addresses(&self, host: &str) -> io::Result<Vec<IpAddr>> {
        Ok(tokio::net::lookup_host((host, 0)).await?.map(|found| found.ip()).collect())
    }
}

/// A resolver whose answers are judged.
pub(super) struct Guarded {
    pub(super) targets: Arc<Targets>,
    pub(super) resolver: Arc<dyn Resolver>,
}

impl Resolve for Guarded {
    fn resolve(&self, name: Name) -> Resolving {
        let (targets, resolver) = (self.targets.clone(), self.resolver.clone());
        Box::pin(async move {
            let found = resolver.addresses(name.as_str()).await?;
            targets.check_found(name.as_str(), &found)?;
            if found.is_empty() {
                return Err(io::Error::other("the name stands for no address").into());
            }
            // The client puts the URL's port in the place of 0.
            let addresses = found.into_iter().map(|address| SocketAddr::new(address, 0));
            Ok(Box::new(addresses) as Addrs)
        })
    }
}
