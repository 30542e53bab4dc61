//! Facts of `hyper::Error`, from a real connection to a real peer (J2, J4, J7, J11).

#![cfg(feature = "hyper")]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may panic")]

mod loopback;

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body_util::{BodyExt, Empty};
use hyper::body::{Body, Frame, Incoming};
use hyper::client::conn::http1::{self, SendRequest};
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use loopback::{answering, peer, resetting, silent};
use steadfast::judge::{self, Rules};
use steadfast::{Class, Failure, Kind, extract};
use tokio::net::TcpStream;

/// A request's way to the peer, and the end of the connection.
async fn connect<B>(
    address: SocketAddr,
) -> (SendRequest<B>, impl Future<Output = hyper::Result<()>> + use<B>)
where
    B: Body<Data = Bytes, Error: std::error::Error + Send + Sync> + Send + 'static,
{
    let stream = TcpStream::connect(address).await.unwrap();
    http1::handshake(TokioIo::new(stream)).await.unwrap()
}

async fn send(address: SocketAddr) -> hyper::Result<Response<Incoming>> {
    let (mut sender, connection) = connect(address).await;
    tokio::spawn(connection);
    sender.send_request(Request::new(Empty::<Bytes>::new())).await
}

fn facts(error: &hyper::Error) -> (Option<Kind>, bool, Class) {
    let fault = error.fault();
    let judgement = judge::judge(&Rules::default(), &extract::failure(error));
    (fault.kind, fault.unknown_outcome, judgement.class())
}

/// J2: the request was read, and then the connection was closed.
#[tokio::test]
async fn close_before_the_response() {
    let error = send(answering("").await).await.unwrap_err();
    assert!(error.is_incomplete_message());
    assert_eq!(facts(&error), (Some(Kind::UnexpectedEof), true, Class::UnknownOutcome));
}

/// J2, J4: the socket's error is combined with hyper's.
#[tokio::test]
async fn reset_before_the_response() {
    let error = send(resetting().await).await.unwrap_err();
    assert_eq!(facts(&error), (Some(Kind::ConnectionReset), true, Class::UnknownOutcome));
}

/// J2: a connection that is lost in the middle of the response.
#[tokio::test]
async fn truncated_response() {
    let address = answering("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc").await;
    let error = send(address).await.unwrap().collect().await.unwrap_err();
    assert_eq!(facts(&error), (Some(Kind::UnexpectedEof), true, Class::UnknownOutcome));
}

/// J4: a request that no connection took has a known outcome, and hyper's word
/// for it, "canceled", does not mean a cancellation.
#[tokio::test]
async fn closed_connection() {
    let address = peer(|stream| async move { drop(stream) }).await;
    let (mut sender, connection) = connect(address).await;
    let _ = connection.await;
    let error = sender.send_request(Request::new(Empty::<Bytes>::new())).await.unwrap_err();
    assert!(error.is_canceled());
    assert_eq!(facts(&error), (Some(Kind::NotConnected), false, Class::Retryable));

    let error = sender.ready().await.unwrap_err();
    assert!(error.is_closed());
    assert_eq!(facts(&error), (Some(Kind::NotConnected), false, Class::Retryable));
}

/// J7: a response that is no HTTP.
#[tokio::test]
async fn invalid_response() {
    let error = send(answering("SSH-2.0-OpenSSH_9.2\r\n\r\n").await).await.unwrap_err();
    assert!(error.is_parse());
    assert_eq!(facts(&error), (Some(Kind::Data), false, Class::Final));
}

/// A body of the caller's that cannot be read.
struct Unreadable<E>(Option<E>);

impl<E: Unpin> Body for Unreadable<E> {
    type Data = Bytes;
    type Error = E;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, E>>> {
        Poll::Ready(self.0.take().map(Err))
    }
}

async fn send_unreadable<E>(error: E) -> hyper::Error
where
    E: std::error::Error + Send + Sync + Unpin + 'static,
{
    let (address, _sent) = silent().await;
    let (mut sender, connection) = connect(address).await;
    let request = Request::post("/").body(Unreadable(Some(error))).unwrap();
    let (answer, _) = tokio::join!(sender.send_request(request), connection);
    answer.unwrap_err()
}

/// J7: the caller's own mistake, unless it has a reason that says otherwise (J4).
#[tokio::test]
async fn unreadable_body() {
    let error = send_unreadable(std::fmt::Error).await;
    assert!(error.is_user());
    assert_eq!(facts(&error), (Some(Kind::Argument), false, Class::Final));

    let error = send_unreadable(io::Error::from(io::ErrorKind::BrokenPipe)).await;
    assert!(error.is_user());
    assert_eq!(facts(&error), (Some(Kind::BrokenPipe), false, Class::Retryable));
}

/// J11: the error type of an operation that cannot fail can be judged, too.
#[test]
fn infallible_error() {
    fn failed<F: Failure>(outcome: Result<(), F>) -> bool {
        outcome.is_err()
    }
    assert!(!failed(Ok::<_, Infallible>(())));
}
