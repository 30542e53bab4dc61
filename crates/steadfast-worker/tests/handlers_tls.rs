//! TLS in the built-in handler `http` (J5, K2), which uses the system's root certificates.

#![cfg(all(feature = "http", target_os = "linux"))]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test may panic")]

mod handlers_loopback;

use std::net::SocketAddr;
use std::sync::Arc;

use handlers_loopback::{Names, call, class, http, read};
use rcgen::CertifiedKey;
use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::PrivateKeyDer;
use serde_json::json;
use steadfast::{Class, Failure, Kind};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpListener;
use tokio::process::Command;
use tokio_rustls::TlsAcceptor;

/// The variable that passes the server's address to the child run of a test.
const SERVER: &str = "STEADFAST_TEST_SERVER";

/// A server for `name` that answers one request, and its certificate.
async fn server(name: &str) -> (SocketAddr, String) {
    let CertifiedKey { cert, signing_key } =
        rcgen::generate_simple_self_signed([name.to_owned()]).unwrap();
    let key = PrivateKeyDer::try_from(signing_key.serialize_der()).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![cert.der().clone()], key)
        .unwrap();
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        let (stream, _) = listener.accept().await.unwrap();
        let Ok(mut stream) = TlsAcceptor::from(Arc::new(config)).accept(stream).await else {
            return;
        };
        read(&mut stream).await.unwrap();
        let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsecret";
        stream.write_all(answer).await.unwrap();
        stream.shutdown().await.unwrap();
    });
    (address, cert.pem())
}

/// J5: an untrusted certificate is final, and nothing was sent.
#[tokio::test]
async fn untrusted_certificate_fails_for_good() {
    let (address, _) = server("127.0.0.1").await;
    let http = http(&["127.0.0.1"], &Names::default());
    let fault = call(&http, json!({"url": format!("https://{address}/")})).await.unwrap_err();
    assert_eq!(fault.fault().kind, Some(Kind::TlsCertificate), "{fault}");
    assert_eq!(class(&fault), Class::Final);
}

/// The root certificates are read from the process environment, which a test cannot change. So a
/// test runs itself again in a child process.
async fn again(test: &str, trusted: &str, server: &str) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("trusted.pem");
    std::fs::write(&file, trusted).unwrap();
    let run = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test])
        .env("SSL_CERT_FILE", file)
        .env("SSL_CERT_DIR", folder.path().join("none"))
        .env(SERVER, server)
        .output()
        .await
        .unwrap();
    let output = String::from_utf8_lossy(&run.stdout);
    assert!(output.contains("1 passed; 0 failed"), "{output}");
}

/// D19: the system's root certificates are trusted.
#[tokio::test]
async fn certificate_trusted_by_the_system_is_accepted() {
    let Ok(port) = std::env::var(SERVER) else {
        let (address, certificate) = server("api.example.com").await;
        let port = address.port().to_string();
        return again("certificate_trusted_by_the_system_is_accepted", &certificate, &port).await;
    };
    let names = Names::default().with("api.example.com", &["127.0.0.1"]);
    let url = format!("https://api.example.com:{port}/");
    let answer = call(&http(&["127.0.0.1"], &names), json!({"url": url})).await.unwrap();
    assert_eq!(answer.body, "secret");
}

/// D19: a system without root certificates uses Mozilla's, and still rejects an untrusted one.
#[tokio::test]
async fn system_without_certificates_uses_the_built_in_roots() {
    let Ok(address) = std::env::var(SERVER) else {
        let (address, _) = server("127.0.0.1").await;
        return again(
            "system_without_certificates_uses_the_built_in_roots",
            "",
            &address.to_string(),
        )
        .await;
    };
    let http = http(&["127.0.0.1"], &Names::default());
    let fault = call(&http, json!({"url": format!("https://{address}/")})).await.unwrap_err();
    assert_eq!(fault.fault().kind, Some(Kind::TlsCertificate), "{fault}");
}
