//! The HTTP client that all calls of a worker share.

use std::sync::Arc;

use reqwest::{Client, redirect};
use rustls::crypto::ring;
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::BuilderVerifierExt;
use steadfast::{Fault, Kind};

use super::super::HandlerError;
use super::HttpLimits;
use super::resolver::CheckedResolver;

const USER_AGENT: &str = concat!("steadfast/", env!("CARGO_PKG_VERSION"));

/// A client that resolves names with `resolver` and follows no redirects.
///
/// It ignores the proxies of the environment: behind a proxy the called address cannot be checked.
/// Hyper bounds the head of a response to 100 headers and about 400 KiB.
pub(super) fn build(
    limits: &HttpLimits,
    resolver: CheckedResolver,
) -> Result<Client, HandlerError> {
    let tls = tls_config().map_err(|error| build_error(&error))?;
    Client::builder()
        .tls_backend_preconfigured(tls)
        .dns_resolver(resolver)
        .redirect(redirect::Policy::none())
        .no_proxy()
        .connect_timeout(limits.connect_timeout)
        .user_agent(USER_AGENT)
        .build()
        .map_err(|error| build_error(&error))
}

fn build_error(error: &dyn std::error::Error) -> HandlerError {
    let message = format!("cannot create the HTTP client: {error}");
    HandlerError::new(Fault::of(Kind::Tls), message)
}

/// Uses the system's root certificates; on a system without any, such as an empty container, those of
/// Mozilla.
fn tls_config() -> Result<ClientConfig, rustls::Error> {
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
