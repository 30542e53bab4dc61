//! TLS by files: a certificate and its key, read again when they are replaced (K1).

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwap;
use rustls::ServerConfig;
use rustls::crypto::ring::default_provider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, pem};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;
use tracing::info;

use crate::reload::file_watcher::Watched;

/// How long a handshake may take.
const WITHIN: Duration = Duration::from_secs(10);

/// Why there is no TLS.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A file cannot be read, or is no PEM.
    #[error("{}: {problem}; name a file that this user can read", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why not.
        problem: String,
    },
    /// There is none in the file.
    #[error("{}: there is no certificate in it; name one in PEM, with those above it", .0.display())]
    NoCertificate(PathBuf),
    /// They do not belong together, or are of a sort that is not known.
    #[error("{} and {} cannot be used: {problem}", certificate.display(), key.display())]
    Unusable {
        /// The certificate.
        certificate: PathBuf,
        /// The key.
        key: PathBuf,
        /// Why not.
        problem: rustls::Error,
    },
}

/// The certificate that holds now.
#[derive(Debug)]
pub(crate) struct Tls {
    certificate: PathBuf,
    key: PathBuf,
    watched: Watched,
    config: ArcSwap<ServerConfig>,
}

impl Tls {
    pub(crate) fn read(certificate: PathBuf, key: PathBuf) -> Result<Self, TlsError> {
        let watched = Watched::new(vec![certificate.clone(), key.clone()]);
        let config = ArcSwap::from_pointee(config(&certificate, &key)?);
        Ok(Self { certificate, key, watched, config })
    }

    pub(crate) fn watched(&self) -> Watched {
        self.watched.clone()
    }

    /// Reads the files again. With bad ones the certificate stays as it is.
    pub(crate) fn reload(&self) -> Result<(), TlsError> {
        self.config.store(Arc::new(config(&self.certificate, &self.key)?));
        let file = self.certificate.display();
        info!(target: "steadfast", %file, "another certificate holds now");
        Ok(())
    }

    /// Agrees on secrets with the other end. Whoever is not done in time is let go.
    pub(crate) async fn accept<S>(&self, stream: S) -> io::Result<TlsStream<S>>
    where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        let acceptor = TlsAcceptor::from(self.config.load_full());
        match timeout(WITHIN, acceptor.accept(stream)).await {
            Ok(accepted) => accepted,
            Err(_) => Err(io::Error::new(io::ErrorKind::TimedOut, "the handshake took too long")),
        }
    }
}

fn config(certificate: &Path, key: &Path) -> Result<ServerConfig, TlsError> {
    let chain = CertificateDer::pem_file_iter(certificate)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(|error| unread(certificate, &error))?;
    if chain.is_empty() {
        return Err(TlsError::NoCertificate(certificate.to_owned()));
    }
    let secret = PrivateKeyDer::from_pem_file(key).map_err(|error| unread(key, &error))?;
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

fn unread(path: &Path, error: &pem::Error) -> TlsError {
    let problem = match error {
        pem::Error::Io(error) => error.to_string(),
        pem::Error::NoItemsFound => "what is needed is not in it".to_owned(),
        other => other.to_string(),
    };
    TlsError::File { path: path.to_owned(), problem }
}
