//! TLS configuration of the client.

use std::sync::Arc;

use rustls::crypto::ring;
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::BuilderVerifierExt;

/// Trusts the certificate authorities of the system, `SSL_CERT_FILE` included. On a system without
/// any, such as an empty container, it trusts those of Mozilla.
pub(crate) fn config() -> Result<ClientConfig, rustls::Error> {
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
    Ok(config.with_no_client_auth())
}
