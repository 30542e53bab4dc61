//! Who may come in, and over what (K1).

use std::path::PathBuf;

use clap::Args;
use steadfast_server::{Proxy, Server};

use super::file_descriptors;

#[derive(Debug, Args)]
#[command(next_help_heading = "Access")]
pub(super) struct AccessFlags {
    /// Ask everybody for a token of this file; see `steadfast token new`
    #[arg(long, value_name = "FILE")]
    tokens: Option<PathBuf>,

    /// Serve over TLS with this certificate, in PEM, with those above it
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_cert: Option<PathBuf>,

    /// The certificate's key, in PEM
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,

    /// A name that the server is reached by, such as a proxy's. Can be repeated
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    host: Vec<String>,

    /// Believe this proxy, an address or a network, for whom it asks: by
    /// `X-Forwarded-For` or else `Forwarded`. Can be repeated
    #[arg(long, value_name = "ADDRESS", value_delimiter = ',')]
    trust_proxy: Vec<Proxy>,

    /// How many connections there may be at a time, three quarters of them from one address
    /// [default: 25000, or as many as the process may have]
    #[arg(long, value_name = "N")]
    #[arg(value_parser = clap::value_parser!(u32).range(2..=1_000_000))]
    connections: Option<u32>,
}

impl AccessFlags {
    /// How many connections there can be, beside so many calls of the worker.
    pub(super) fn connections(&self, calls: u32) -> usize {
        file_descriptors::connections(self.connections, calls)
    }

    /// The server that asks for all this.
    pub(super) fn apply(&self, server: Server) -> Server {
        let server = self.host.iter().fold(server, |server, name| server.host(name));
        let proxies = self.trust_proxy.iter();
        let server = proxies.fold(server, |server, proxy| server.trust_proxy(*proxy));
        let server = match (&self.tls_cert, &self.tls_key) {
            (Some(certificate), Some(key)) => server.tls(certificate, key),
            _ => server,
        };
        match &self.tokens {
            Some(file) => server.tokens(file),
            None => server,
        }
    }
}
