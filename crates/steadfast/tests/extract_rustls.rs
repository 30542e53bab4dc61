//! Facts of `rustls::Error`, from real handshakes (J5, J11).

#![cfg(feature = "rustls")]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may panic")]

mod loopback;

use std::io;
use std::sync::Arc;

use loopback::tls;
use rustls::pki_types::ServerName;
use rustls::version::TLS13;
use rustls::{ClientConfig, ClientConnection, ServerConfig, ServerConnection};
use steadfast::judge::{self, Rules};
use steadfast::{Class, Failure, Kind, extract};

/// Both ends' errors after a handshake with `localhost`, the client's first.
fn handshake(
    client: ClientConfig,
    server: Arc<ServerConfig>,
) -> (Option<rustls::Error>, Option<rustls::Error>) {
    let name = ServerName::try_from("localhost").unwrap();
    let mut client = ClientConnection::new(Arc::new(client), name).unwrap();
    let mut server = ServerConnection::new(server).unwrap();
    let mut errors = (None, None);
    while client.wants_write() || server.wants_write() {
        let mut flight = Vec::new();
        while client.wants_write() {
            client.write_tls(&mut flight).unwrap();
        }
        server.read_tls(&mut &*flight).unwrap();
        errors.1 = errors.1.or(server.process_new_packets().err());

        let mut flight = Vec::new();
        while server.wants_write() {
            server.write_tls(&mut flight).unwrap();
        }
        client.read_tls(&mut &*flight).unwrap();
        errors.0 = errors.0.or(client.process_new_packets().err());
    }
    errors
}

/// Final, whether it comes bare or, as from a stream, inside an `io::Error`.
fn assert_final(error: rustls::Error, kind: Kind) {
    assert_eq!(error.fault().kind, Some(kind), "{error}");
    assert_eq!(judge::judge(&Rules::default(), &extract::failure(&error)).class(), Class::Final);
    let carried = extract::chain(&io::Error::new(io::ErrorKind::InvalidData, error));
    assert_eq!(carried.causes[0].kind, Some(kind));
    assert_eq!(judge::judge(&Rules::default(), &carried).class(), Class::Final);
}

/// The proof that the handshakes below fail for the reason they name.
#[test]
fn successful_handshake() {
    let (server, certificate) = tls::server("localhost");
    assert_eq!(handshake(tls::client(Some(certificate)), server), (None, None));
}

/// J5: an untrusted certificate, seen from both sides.
#[test]
fn untrusted_certificate() {
    let (server, _) = tls::server("localhost");
    let (ours, theirs) = handshake(tls::client(None), server);
    assert_final(ours.unwrap(), Kind::TlsCertificate);
    assert_final(theirs.unwrap(), Kind::TlsCertificate);
}

/// J5: a certificate for another host.
#[test]
fn certificate_for_another_host() {
    let (server, certificate) = tls::server("elsewhere.example");
    let (ours, _) = handshake(tls::client(Some(certificate)), server);
    assert_final(ours.unwrap(), Kind::TlsHostname);
}

/// J5: no common version of the protocol, as seen from both sides.
#[test]
fn unsupported_protocol_version() {
    let (server, certificate) = tls::old_server("localhost");
    let (ours, theirs) = handshake(tls::client_of(Some(certificate), &[&TLS13]), server);
    assert_final(ours.unwrap(), Kind::TlsProtocol);
    assert_final(theirs.unwrap(), Kind::TlsProtocol);
}

/// J5: what is not TLS at all.
#[test]
fn plain_text_instead_of_tls() {
    let name = ServerName::try_from("localhost").unwrap();
    let mut client = ClientConnection::new(Arc::new(tls::client(None)), name).unwrap();
    client.read_tls(&mut &b"HTTP/1.1 400 Bad Request\r\n\r\n"[..]).unwrap();
    assert_final(client.process_new_packets().unwrap_err(), Kind::Tls);
}
