//! TLS with a certificate and key from files, reloaded when they change (K1).

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwap;
use rustls::ServerConfig;
use rustls::crypto::ring::default_provider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, pem};
use steadfast::__private::FileWatcher;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;
use tracing::info;

const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);

/// A certificate or key that cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TlsError {
    /// A file cannot be read or is not PEM.
    #[error("{}: {problem}; pass a readable PEM file", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The cause.
        problem: String,
    },
    /// The file has no certificate.
    #[error("{}: no certificate found; pass a PEM file with the certificate and its chain", .0.display())]
    NoCertificate(PathBuf),
    /// The certificate and key do not match or are unsupported.
    #[error("cannot use certificate {} with key {}: {problem}", certificate.display(), key.display())]
    Unusable {
        /// The certificate.
        certificate: PathBuf,
        /// The key.
        key: PathBuf,
        /// The cause.
        problem: rustls::Error,
    },
}

#[derive(Debug)]
pub(crate) struct Tls {
    certificate: PathBuf,
    key: PathBuf,
    watcher: FileWatcher,
    config: ArcSwap<ServerConfig>,
}

impl Tls {
    pub(crate) fn read(certificate: PathBuf, key: PathBuf) -> Result<Self, TlsError> {
        let watcher = FileWatcher::new(vec![certificate.clone(), key.clone()]);
        let config = ArcSwap::from_pointee(config(&certificate, &key)?);
        Ok(Self { certificate, key, watcher, config })
    }

    pub(crate) const fn watcher(&self) -> &FileWatcher {
        &self.watcher
    }

    /// Reloads the files. On an error the current certificate stays in use.
    pub(crate) fn reload(&self) -> Result<(), TlsError> {
        self.config.store(Arc::new(config(&self.certificate, &self.key)?));
        let file = self.certificate.display();
        info!(target: "steadfast", %file, "certificate reloaded");
        Ok(())
    }

    pub(crate) async fn accept<S>(&self, stream: S) -> io::Result<TlsStream<S>>
    where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        let acceptor = TlsAcceptor::from(self.config.load_full());
        match timeout(HANDSHAKE_TIMEOUT, acceptor.accept(stream)).await {
            Ok(accepted) => accepted,
            Err(_) => Err(io::Error::new(io::ErrorKind::TimedOut, "TLS handshake timed out")),
        }
    }
}

fn config(certificate: &Path, key: &Path) -> Result<ServerConfig, TlsError> {
    let chain = CertificateDer::pem_file_iter(certificate)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(|error| file_error(certificate, &error))?;
    if chain.is_empty() {
        return Err(TlsError::NoCertificate(certificate.to_owned()));
    }
    let secret = PrivateKeyDer::from_pem_file(key).map_err(|error| file_error(key, &error))?;
    let unusable = |problem| TlsError::Unusable {
        certificate: certificate.to_owned(),
        key: key.to_owned(),
        problem,
    };
    let mut config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(unusable)?
        .with_no_client_auth()
        .with_single_cert(chain, secret)
        .map_err(unusable)?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(config)
}

fn file_error(path: &Path, error: &pem::Error) -> TlsError {
    let problem = match error {
        pem::Error::Io(error) => error.to_string(),
        pem::Error::NoItemsFound => "no matching PEM section found".to_owned(),
        other => other.to_string(),
    };
    TlsError::File { path: path.to_owned(), problem }
}
