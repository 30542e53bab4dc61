//! The built-in handler `http` over TLS (J5, K2): whom it trusts is for the system to say.

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

/// Tells the second run of a test where its server is.
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

/// J5: a certificate that nobody vouches for is final, and nothing was sent.
#[tokio::test]
async fn an_untrusted_certificate_is_final() {
    let (address, _) = server("127.0.0.1").await;
    let http = http(&["127.0.0.1"], &Names::default());
    let fault = call(&http, json!({"url": format!("https://{address}/")})).await.unwrap_err();
    assert_eq!(fault.fault().kind, Some(Kind::TlsCertificate), "{fault}");
    assert_eq!(class(&fault), Class::Final);
}

/// Whom a process trusts is read from its environment, and that of this one cannot be changed. So
/// a test runs itself again with another one.
async fn again(test: &str, trusted: &str, server: &str) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("trusted.pem");
    std::fs::write(&file, trusted).unwrap();
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test])
        .env("SSL_CERT_FILE", file)
        .env("SSL_CERT_DIR", folder.path().join("none"))
        .env(SERVER, server)
        .output()
        .await
        .unwrap();
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(told.contains("1 passed; 0 failed"), "{told}");
}

/// D19: whom the system trusts is trusted.
#[tokio::test]
async fn a_certificate_that_the_system_trusts_is_accepted() {
    let Ok(port) = std::env::var(SERVER) else {
        let (address, certificate) = server("api.example.com").await;
        let port = address.port().to_string();
        return again("a_certificate_that_the_system_trusts_is_accepted", &certificate, &port)
            .await;
    };
    let names = Names::default().with("api.example.com", &["127.0.0.1"]);
    let url = format!("https://api.example.com:{port}/");
    let answer = call(&http(&["127.0.0.1"], &names), json!({"url": url})).await.unwrap();
    assert_eq!(answer.body, "secret");
}

/// D19: a system without certificates can call all the same, and still trusts no stranger.
#[tokio::test]
async fn a_system_that_trusts_nobody_can_call() {
    let Ok(address) = std::env::var(SERVER) else {
        let (address, _) = server("127.0.0.1").await;
        return again("a_system_that_trusts_nobody_can_call", "", &address.to_string()).await;
    };
    let http = http(&["127.0.0.1"], &Names::default());
    let fault = call(&http, json!({"url": format!("https://{address}/")})).await.unwrap_err();
    assert_eq!(fault.fault().kind, Some(Kind::TlsCertificate), "{fault}");
}
