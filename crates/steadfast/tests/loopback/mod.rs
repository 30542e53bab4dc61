//! Real peers on the loopback interface that fail in the one way a test asks for.

#![allow(dead_code, reason = "each test file needs some of it")]

pub(crate) mod http;
pub(crate) mod postgres;
pub(crate) mod tls;

use std::future::Future;
use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::oneshot;

/// A peer that does `serve` with the first connection made to it.
pub(crate) async fn peer<S, F>(serve: S) -> SocketAddr
where
    S: FnOnce(TcpStream) -> F + Send + 'static,
    F: Future<Output = ()> + Send,
{
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        let (stream, _) = listener.accept().await.unwrap();
        serve(stream).await;
    });
    address
}

/// An address without a listener, as long as the socket exists.
pub(crate) fn no_listener() -> (SocketAddr, TcpSocket) {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind(([127, 0, 0, 1], 0).into()).unwrap();
    (socket.local_addr().unwrap(), socket)
}

/// A peer that reads a request, says so, and then says nothing more.
pub(crate) async fn silent() -> (SocketAddr, oneshot::Receiver<()>) {
    let (sender, received) = oneshot::channel();
    let address = peer(|mut stream| async move {
        let mut byte = [0];
        stream.read_exact(&mut byte).await.unwrap();
        sender.send(()).unwrap();
        while stream.read(&mut byte).await.is_ok_and(|length| length > 0) {}
    });
    (address.await, received)
}

/// Advances the paused clock by `wait` after `received` resolves.
pub(crate) async fn pass(received: oneshot::Receiver<()>, wait: Duration) {
    received.await.unwrap();
    tokio::time::pause();
    tokio::time::advance(wait).await;
}

/// A peer that answers an HTTP request with these bytes and closes.
pub(crate) async fn answering(answer: impl Into<String>) -> SocketAddr {
    let answer = answer.into();
    peer(|mut stream| async move {
        read_head(&mut stream).await;
        stream.write_all(answer.as_bytes()).await.unwrap();
        stream.shutdown().await.unwrap();
    })
    .await
}

/// A peer that reads an HTTP request and resets the connection.
pub(crate) async fn resetting() -> SocketAddr {
    peer(|mut stream| async move {
        read_head(&mut stream).await;
        reset(stream);
    })
    .await
}

/// Closes a connection with RST instead of FIN.
pub(crate) fn reset(stream: TcpStream) {
    stream.set_zero_linger().unwrap();
}

/// Reads an HTTP request that has no body.
pub(crate) async fn read_head(stream: &mut TcpStream) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.unwrap());
    }
}
