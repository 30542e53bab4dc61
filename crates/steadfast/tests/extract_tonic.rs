//! Facts of `tonic::Status`: as values, and from a real channel (J2, J4 to J6, J8, J11).

#![cfg(feature = "tonic")]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may panic")]

mod loopback;

use std::error::Error;
use std::fmt;
use std::net::SocketAddr;
use std::sync::OnceLock;
use std::time::Duration;

use h2::Reason;
use hyper::{Response, Uri};
use loopback::{no_listener, pass, peer, silent};
use steadfast::fault::{RetrySignal, RetrySignals};
use steadfast::judge::{self, Rules};
use steadfast::{Class, Failure, GrpcCode, Hint, Kind, extract};
use tonic::client::Grpc;
use tonic::codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder};
use tonic::metadata::{MetadataMap, MetadataValue};
use tonic::transport::Endpoint;
use tonic::{Code, Request, Status};

const LIMIT: Duration = Duration::from_secs(30);

/// Messages without content.
#[derive(Clone, Copy)]
struct Nothing;

impl Codec for Nothing {
    type Encode = ();
    type Decode = ();
    type Encoder = Self;
    type Decoder = Self;

    fn encoder(&mut self) -> Self {
        *self
    }

    fn decoder(&mut self) -> Self {
        *self
    }
}

impl Encoder for Nothing {
    type Item = ();
    type Error = Status;

    fn encode(&mut self, (): (), _: &mut EncodeBuf<'_>) -> Result<(), Status> {
        Ok(())
    }
}

impl Decoder for Nothing {
    type Item = ();
    type Error = Status;

    fn decode(&mut self, _: &mut DecodeBuf<'_>) -> Result<Option<()>, Status> {
        Ok(Some(()))
    }
}

async fn call(address: SocketAddr) -> Status {
    let channel = Endpoint::from_shared(format!("http://{address}")).unwrap();
    let mut client = Grpc::new(channel.timeout(LIMIT).connect_lazy());
    client.ready().await.unwrap();
    let path = Uri::from_static("/test.Test/Call").path_and_query().unwrap().clone();
    client.unary(Request::new(()), path, Nothing).await.unwrap_err()
}

fn class(status: &Status) -> Class {
    judge::judge(&Rules::default(), &extract::failure(status)).class()
}

fn facts(status: &Status) -> (Option<GrpcCode>, Option<Kind>, bool, Class) {
    let fault = status.fault();
    (fault.grpc_status, fault.kind, fault.unknown_outcome, class(status))
}

/// J6: the server's response is its code.
#[test]
fn status_code() {
    let cases = [
        (Code::Unavailable, GrpcCode::Unavailable, Class::Retryable),
        (Code::ResourceExhausted, GrpcCode::ResourceExhausted, Class::RateLimited),
        (Code::DeadlineExceeded, GrpcCode::DeadlineExceeded, Class::UnknownOutcome),
        (Code::InvalidArgument, GrpcCode::InvalidArgument, Class::Final),
        (Code::Unknown, GrpcCode::Unknown, Class::Final),
    ];
    for (code, expected, class) in cases {
        assert_eq!(facts(&Status::new(code, "")), (Some(expected), None, false, class));
    }
}

/// J6: the server's pushback is honoured; one that cannot be read, or more than one, means stop.
#[test]
fn pushback_metadata() {
    let after = |millis| Some(Hint::After(Duration::from_millis(millis)));
    let cases: [(&[u8], _, _); 4] = [
        (b"250", after(250), Class::Retryable),
        (b"-1", Some(Hint::Stop), Class::Final),
        (b"soon", Some(Hint::Stop), Class::Final),
        (b"\xff", Some(Hint::Stop), Class::Final),
    ];
    for (value, hint, class) in cases {
        let mut metadata = MetadataMap::new();
        let value = MetadataValue::try_from(value).unwrap();
        metadata.insert("grpc-retry-pushback-ms", value);
        let status = Status::with_metadata(Code::Unavailable, "", metadata);
        assert_eq!((status.fault().hint, self::class(&status)), (hint, class));
    }
    assert_eq!(Status::unavailable("").fault().hint, None);

    let mut metadata = MetadataMap::new();
    metadata.append("grpc-retry-pushback-ms", MetadataValue::from_static("1"));
    metadata.append("grpc-retry-pushback-ms", MetadataValue::from_static("1"));
    let twice = Status::with_metadata(Code::Unavailable, "", metadata);
    assert_eq!((twice.fault().hint, class(&twice)), (Some(Hint::Stop), Class::Final));
}

/// A `google.rpc.Status` whose only detail is a `RetryInfo` of five seconds.
const RETRY_IN_5_S: &[u8] =
    b"\x1a\x30\x0a\x28type.googleapis.com/google.rpc.RetryInfo\x12\x04\x0a\x02\x08\x05";

/// J6: the delay in the status details is honoured, unless it is turned off; pushback precedes it.
#[test]
fn retry_info_in_details() {
    let details = bytes::Bytes::from_static(RETRY_IN_5_S);
    let status = Status::with_details(Code::ResourceExhausted, "", details.clone());
    let fault = status.fault();
    assert_eq!(fault.hint, Some(Hint::After(Duration::from_secs(5))));
    assert_eq!(fault.hint_source, Some(RetrySignal::GrpcRetryInfo));
    assert_eq!(class(&status), Class::RateLimited);

    let signals = RetrySignals::ALL.without(RetrySignal::GrpcRetryInfo);
    assert_eq!(extract::grpc_status(signals, &status).hint, None);

    let mut metadata = MetadataMap::new();
    metadata.insert("grpc-retry-pushback-ms", MetadataValue::from_static("250"));
    let both = Status::with_details_and_metadata(Code::Unavailable, "", details, metadata);
    assert_eq!(both.fault().hint_source, Some(RetrySignal::GrpcRetryPushback));
}

/// J6: the same over the wire.
#[tokio::test]
async fn server_response() {
    let address = peer(|stream| async move {
        let mut connection = h2::server::handshake(stream).await.unwrap();
        let (_request, mut respond) = connection.accept().await.unwrap().unwrap();
        let answer = Response::builder()
            .header("content-type", "application/grpc")
            .header("grpc-status", "14")
            .header("grpc-retry-pushback-ms", "250");
        respond.send_response(answer.body(()).unwrap(), true).unwrap();
        while connection.accept().await.is_some() {}
    });
    let status = call(address.await).await;
    assert_eq!(facts(&status), (Some(GrpcCode::Unavailable), None, false, Class::Retryable));
    assert_eq!(status.fault().hint, Some(Hint::After(Duration::from_millis(250))));
}

/// J6: status details over the wire are base64 in a trailer.
#[tokio::test]
async fn server_response_with_details() {
    const DETAILS: &str = "GjAKKHR5cGUuZ29vZ2xlYXBpcy5jb20vZ29vZ2xlLnJwYy5SZXRyeUluZm8SBAoCCAU";
    let address = peer(|stream| async move {
        let mut connection = h2::server::handshake(stream).await.unwrap();
        let (_request, mut respond) = connection.accept().await.unwrap().unwrap();
        let answer = Response::builder()
            .header("content-type", "application/grpc")
            .header("grpc-status", "8")
            .header("grpc-status-details-bin", DETAILS);
        respond.send_response(answer.body(()).unwrap(), true).unwrap();
        while connection.accept().await.is_some() {}
    });
    let status = call(address.await).await;
    assert_eq!(status.details(), RETRY_IN_5_S);
    assert_eq!(status.fault().hint, Some(Hint::After(Duration::from_secs(5))));
    assert_eq!(class(&status), Class::RateLimited);
}

/// J4: no process listens, and nothing was sent.
#[tokio::test]
async fn refused_connection() {
    let (address, _socket) = no_listener();
    let status = call(address).await;
    let refused = Some(Kind::ConnectionRefused);
    assert_eq!(facts(&status), (Some(GrpcCode::Unavailable), refused, false, Class::Retryable));
}

/// J2: the call was read, and then the connection was lost.
#[tokio::test]
async fn connection_lost_before_the_response() {
    let address = peer(|stream| async move {
        let mut connection = h2::server::handshake(stream).await.unwrap();
        let _call = connection.accept().await.unwrap().unwrap();
    });
    let status = call(address.await).await;
    assert!(status.fault().unknown_outcome, "{status:?}");
    assert_eq!(class(&status), Class::UnknownOutcome);
}

/// A server that resets the stream of a call.
async fn resetting(reason: Reason) -> SocketAddr {
    let address = peer(move |stream| async move {
        let mut connection = h2::server::handshake(stream).await.unwrap();
        let (_call, mut respond) = connection.accept().await.unwrap().unwrap();
        respond.send_reset(reason);
        while connection.accept().await.is_some() {}
    });
    address.await
}

/// J2, J6: a reset stream ends with the code of its reason: one that was refused
/// was not processed; the outcome of any other is unknown.
#[tokio::test]
async fn stream_reset() {
    let cases = [
        (Reason::REFUSED_STREAM, GrpcCode::Unavailable, Class::Retryable),
        (Reason::ENHANCE_YOUR_CALM, GrpcCode::ResourceExhausted, Class::RateLimited),
        (Reason::INTERNAL_ERROR, GrpcCode::Internal, Class::UnknownOutcome),
    ];
    for (reason, code, class) in cases {
        let status = call(resetting(reason).await).await;
        assert_eq!(facts(&status), (Some(code), None, false, class), "{reason}");
    }
}

/// J2: a code that says nothing does not hide what the connection says, not even
/// from a rule that names it.
#[tokio::test]
async fn stream_reset_without_code() {
    let status = call(resetting(Reason::STREAM_CLOSED).await).await;
    let connection = Some(Kind::Connection);
    let unknown = Class::UnknownOutcome;
    assert_eq!(facts(&status), (Some(GrpcCode::Unknown), connection, true, unknown));
    let rules = Rules::new(Some(vec!["grpc:UNKNOWN".parse().unwrap()]), Vec::new());
    assert_eq!(judge::judge(&rules, &extract::failure(&status)).class(), unknown);
}

/// J2: tonic's word for a timeout of the client's own is "cancelled".
#[tokio::test]
async fn slow_response() {
    let (address, sent) = silent().await;
    let (status, ()) = tokio::join!(call(address), pass(sent, LIMIT));
    assert_eq!(status.code(), Code::Cancelled);
    let cancelled = Some(GrpcCode::Cancelled);
    assert_eq!(facts(&status), (cancelled, Some(Kind::Timeout), true, Class::UnknownOutcome));
}

/// J5: tonic's word for a bad certificate is "unavailable".
#[cfg(feature = "rustls")]
#[test]
fn untrusted_certificate() {
    let untrusted = rustls::Error::InvalidCertificate(rustls::CertificateError::UnknownIssuer);
    let handshake = std::io::Error::new(std::io::ErrorKind::InvalidData, untrusted);
    let status = Status::from_error(tonic::ConnectError(handshake.into()).into());
    assert_eq!(status.code(), Code::Unavailable);
    let kind = Some(Kind::TlsCertificate);
    assert_eq!(facts(&status), (Some(GrpcCode::Unavailable), kind, false, Class::Final));
}

/// An error whose cause is a status whose cause is the error.
#[derive(Debug)]
struct Ouroboros;

static TAIL: OnceLock<Status> = OnceLock::new();

impl fmt::Display for Ouroboros {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("see the cause")
    }
}

impl Error for Ouroboros {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        TAIL.get().map(|status| status as _)
    }
}

/// J8: a circular chain terminates.
#[test]
fn infinite_chain() {
    let mut status = Status::unknown("");
    status.set_source(std::sync::Arc::new(Ouroboros));
    TAIL.set(status).unwrap();
    assert_eq!(class(TAIL.get().unwrap()), Class::Final);
    assert_eq!(extract::chain(&Ouroboros).causes.len(), steadfast::fault::MAX_CAUSES - 1);
}
