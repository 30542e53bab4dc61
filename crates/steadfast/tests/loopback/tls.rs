//! A certificate that signs itself, and both ends of a handshake with it.

use std::sync::Arc;

use rcgen::CertifiedKey;
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::version::TLS12;
use rustls::{ClientConfig, RootCertStore, ServerConfig, SupportedProtocolVersion};

fn provider() -> Arc<CryptoProvider> {
    Arc::new(ring::default_provider())
}

/// A server for `name`, and the certificate to trust it by.
pub(crate) fn server(name: &str) -> (Arc<ServerConfig>, CertificateDer<'static>) {
    server_of(name, rustls::ALL_VERSIONS)
}

/// A server that speaks nothing newer than TLS 1.2.
pub(crate) fn old_server(name: &str) -> (Arc<ServerConfig>, CertificateDer<'static>) {
    server_of(name, &[&TLS12])
}

fn server_of(
    name: &str,
    versions: &[&'static SupportedProtocolVersion],
) -> (Arc<ServerConfig>, CertificateDer<'static>) {
    let CertifiedKey { cert, signing_key } =
        rcgen::generate_simple_self_signed([name.to_owned()]).unwrap();
    let key = PrivateKeyDer::try_from(signing_key.serialize_der()).unwrap();
    let config = ServerConfig::builder_with_provider(provider())
        .with_protocol_versions(versions)
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![cert.der().clone()], key)
        .unwrap();
    (Arc::new(config), cert.der().clone())
}

/// A client that trusts this certificate and no other.
pub(crate) fn client(trusted: Option<CertificateDer<'static>>) -> ClientConfig {
    client_of(trusted, rustls::ALL_VERSIONS)
}

/// The same, of these versions of the protocol.
pub(crate) fn client_of(
    trusted: Option<CertificateDer<'static>>,
    versions: &[&'static SupportedProtocolVersion],
) -> ClientConfig {
    let mut roots = RootCertStore::empty();
    if let Some(certificate) = trusted {
        roots.add(certificate).unwrap();
    }
    ClientConfig::builder_with_provider(provider())
        .with_protocol_versions(versions)
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth()
}
