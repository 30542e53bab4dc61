//! Access flags: tokens, TLS, hosts, proxies, connections (K1).

use std::path::PathBuf;

use clap::Args;
use steadfast_server::{Proxy, Server};

#[derive(Debug, Args)]
#[command(next_help_heading = "Access")]
pub(super) struct AccessFlags {
    /// Require a token from this file; create one with `steadfast token new` [default: no
    /// authentication]
    #[arg(long, value_name = "FILE")]
    tokens: Option<PathBuf>,

    /// Serve over TLS with this PEM certificate chain
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_cert: Option<PathBuf>,

    /// Private key of the certificate, in PEM
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,

    /// Accept this host name in requests, such as that of a proxy; may be repeated
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = host_name)]
    host: Vec<String>,

    /// Trust this proxy (IP or CIDR) to set the client address, in `X-Forwarded-For` or `Forwarded`;
    /// may be repeated
    #[arg(long, value_name = "ADDRESS", value_delimiter = ',')]
    trust_proxy: Vec<Proxy>,

    /// Maximum number of connections, of which a single client address may use at most three quarters [default:
    /// 25000, or as many as the file descriptor limit allows]
    #[arg(long, value_name = "N")]
    #[arg(value_parser = crate::number_range::whole_number(2..=1_000_000_u32))]
    pub(super) connections: Option<u32>,
}

impl AccessFlags {
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

/// A host name or address, as in the header `Host`.
fn host_name(text: &str) -> Result<String, &'static str> {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || "-_.:[]*".contains(letter);
    match !text.is_empty() && text.chars().all(is_part) {
        true => Ok(text.to_owned()),
        false => Err("must be a host name, such as tasks.example.com"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn host_must_be_a_name() {
        for name in ["tasks.example.com", "localhost", "[::1]", "10.0.0.1", "a_b:8080"] {
            assert_eq!(host_name(name).as_deref(), Ok(name));
        }
        for wrong in ["", "a b", "http://a", "a/b"] {
            assert!(host_name(wrong).is_err(), "{wrong}");
        }
    }
}
