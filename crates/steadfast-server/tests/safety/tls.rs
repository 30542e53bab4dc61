//! TLS with certificate files (K1).

use std::path::PathBuf;
use std::sync::Arc;

use rcgen::{CertifiedKey, generate_simple_self_signed};
use steadfast_server::{ServeError, Server};
use steadfast_store::Store;
use steadfast_testing::poll::eventually;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

use crate::{Answer, Tokens, World, bearer, request, say, world_of};

/// A certificate that is beside the tokens.
struct Certificate {
    der: CertificateDer<'static>,
    file: PathBuf,
    key: PathBuf,
}

fn certificate(tokens: &Tokens) -> Certificate {
    let names = vec!["localhost".to_owned()];
    let CertifiedKey { cert, signing_key } = generate_simple_self_signed(names).unwrap();
    let (file, key) = (tokens.folder.path().join("cert.pem"), tokens.folder.path().join("key.pem"));
    std::fs::write(&file, cert.pem()).unwrap();
    std::fs::write(&key, signing_key.serialize_pem()).unwrap();
    Certificate { der: cert.der().clone(), file, key }
}

async fn tls_world() -> (World, Certificate) {
    let tokens = Tokens::new();
    let certificate = certificate(&tokens);
    let (file, key, of) = (certificate.file.clone(), certificate.key.clone(), tokens.file());
    (world_of(tokens, |server| server.tokens(of).tls(file, key)).await, certificate)
}

/// Sends a request over TLS, trusting this certificate only.
async fn ask(world: &World, trusted: &Certificate, text: String) -> std::io::Result<Answer> {
    let mut roots = RootCertStore::empty();
    roots.add(trusted.der.clone()).unwrap();
    let provider = Arc::new(tokio_rustls::rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let stream = TcpStream::connect(world.address).await?;
    let name = ServerName::try_from("localhost").unwrap();
    let mut stream = TlsConnector::from(Arc::new(config)).connect(name, stream).await?;
    stream.write_all(text.as_bytes()).await?;
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer).await;
    Ok(Answer::of(&String::from_utf8_lossy(&answer)))
}

/// K1: TLS with its headers and cookies.
#[tokio::test]
async fn server_with_certificate_serves_tls() {
    let (world, certificate) = tls_world().await;
    let token = bearer(&world.tokens.viewer);
    let stats = request("GET /api/v1/stats", &[&token], "");
    let answer = ask(&world, &certificate, stats).await.unwrap();
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("strict-transport-security"), Some("max-age=31536000"));

    let form = format!("token={}", world.tokens.viewer.secret());
    let kind = "Content-Type: application/x-www-form-urlencoded";
    let login = ask(&world, &certificate, request("POST /login", &[kind], &form)).await.unwrap();
    let cookie = login.header("set-cookie").unwrap();
    assert!(cookie.starts_with("__Host-steadfast=") && cookie.contains("; Secure"), "{cookie}");
}

/// K1: plain HTTP on a TLS port reveals nothing.
#[tokio::test]
async fn plain_http_on_tls_port_is_rejected() {
    let (world, _) = tls_world().await;
    let token = bearer(&world.tokens.viewer);
    let answer = say(world.address, request("GET /api/v1/stats", &[&token], "")).await;
    assert_eq!(answer.status, 0, "{answer:?}");
    assert!(!answer.head.contains("HTTP"), "{answer:?}");
}

/// K1: a client that connects and sends nothing does not block others.
#[tokio::test]
async fn idle_handshake_does_not_block_others() {
    let (world, certificate) = tls_world().await;
    let mut silent = Vec::new();
    for _ in 0..20 {
        silent.push(TcpStream::connect(world.address).await.unwrap());
    }
    let answer = ask(&world, &certificate, request("GET /healthz", &[], "")).await.unwrap();
    assert_eq!(answer.status, 200);
}

/// K1: a certificate is renewed without a restart, and an invalid one changes nothing.
#[tokio::test]
async fn certificate_is_reloaded_while_serving() {
    let (world, old) = tls_world().await;
    let health = || request("GET /healthz", &[], "");
    std::fs::write(&old.file, "no certificate").unwrap();
    assert_eq!(ask(&world, &old, health()).await.unwrap().status, 200);
    let new = certificate(&world.tokens);
    eventually("the new certificate is used", async || ask(&world, &new, health()).await.is_ok())
        .await;
    assert!(ask(&world, &old, health()).await.is_err());
}

/// K1: the error for an invalid certificate names the file.
#[tokio::test]
async fn invalid_certificate_error_names_file() {
    let tokens = Tokens::new();
    let good = certificate(&tokens);
    let empty = tokens.folder.path().join("empty.pem");
    std::fs::write(&empty, "").unwrap();
    let missing = tokens.folder.path().join("missing.pem");
    let other = { Tokens::new() };
    let others = certificate(&other);
    for (file, key, expected) in [
        (&empty, &good.key, "empty.pem: no certificate found"),
        (&missing, &good.key, "missing.pem: "),
        (&good.file, &empty, "empty.pem: "),
        (&good.file, &others.key, "cannot use certificate"),
    ] {
        let store = Store::open("sqlite::memory:").await.unwrap();
        let server = Server::new(store).listen("127.0.0.1:0".parse().unwrap()).without_worker();
        let rejected = server.tls(file, key).bind().await.unwrap_err();
        assert!(matches!(rejected, ServeError::Tls(_)), "{rejected}");
        assert!(rejected.to_string().contains(expected), "{rejected}");
    }
}
