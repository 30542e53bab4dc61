//! The client that all calls of a worker share.

use std::sync::Arc;

use reqwest::{Client, redirect};
use rustls::crypto::ring;
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::BuilderVerifierExt;
use steadfast::{Fault, Kind};

use super::super::HandlerFault;
use super::HttpLimits;
use super::resolver::Guarded;

const USER_AGENT: &str = concat!("steadfast/", env!("CARGO_PKG_VERSION"));

/// A client that resolves by `names` and follows nothing by itself.
///
/// It has no use for the proxies of the environment: behind one, nobody could say which address is
/// called. What hyper reads of an answer's head is bounded: 100 headers, some 400 KiB.
pub(super) fn build(limits: &HttpLimits, names: Guarded) -> Result<Client, HandlerFault> {
    let tls = tls().map_err(|error| unbuilt(&error))?;
    Client::builder()
        .tls_backend_preconfigured(tls)
        .dns_resolver(names)
        .redirect(redirect::Policy::none())
        .no_proxy()
        .connect_timeout(limits.connect_timeout)
        .user_agent(USER_AGENT)
        .build()
        .map_err(|error| unbuilt(&error))
}

fn unbuilt(error: &dyn std::error::Error) -> HandlerFault {
    let message = format!("no HTTP client can be made here: {error}");
    HandlerFault::new(Fault::of(Kind::Tls), message)
}

/// Trusts whom the system trusts; on a system that trusts nobody, such as an empty container,
/// whom Mozilla trusts.
fn tls() -> Result<ClientConfig, rustls::Error> {
    let provider = Arc::new(ring::default_provider());
    let config = || {
        ClientConfig::builder_with_provider(provider.clone()).with_safe_default_protocol_versions()
    };
    let config = match config()?.with_platform_verifier() {
        Ok(config) => config,
        Err(_) => config()?.with_root_certificates(RootCertStore {
            roots: webpki_roots::TLS_SERVER_ROOTS.to_vec(),
        }),
    };
    let mut config = config.with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(config)
}
