//! A DNS resolver that returns only allowed addresses.
//!
//! A name that is checked and then resolved again may return another address: DNS rebinding uses this.
//! So the HTTP client resolves names here, and connects to the addresses that were checked.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use async_trait::async_trait;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use super::super::Targets;

/// Resolves host names.
#[async_trait]
pub trait Resolver: Send + Sync {
    /// The addresses of a host name.
    ///
    /// # Errors
    /// The name does not resolve, or the resolver cannot be reached.
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

/// A resolver whose answers are checked against the allowed targets.
pub(super) struct CheckedResolver {
    pub(super) targets: Arc<Targets>,
    pub(super) resolver: Arc<dyn Resolver>,
}

impl Resolve for CheckedResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let (targets, resolver) = (self.targets.clone(), self.resolver.clone());
        Box::pin(async move {
            let found = resolver.addresses(name.as_str()).await?;
            targets.check_resolved(name.as_str(), &found)?;
            if found.is_empty() {
                return Err(io::Error::other("the name resolves to no address").into());
            }
            // The HTTP client replaces port 0 with the URL's port.
            let addresses = found.into_iter().map(|address| SocketAddr::new(address, 0));
            Ok(Box::new(addresses) as Addrs)
        })
    }
}
