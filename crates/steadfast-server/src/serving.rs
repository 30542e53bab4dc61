//! Connections: taking them, and letting them go.
//!
//! axum's own `serve` waits for its connections for good when it stops, and for the head of a
//! request for good while it runs. A server that others talk to can afford neither, so the loop
//! is here: a bounded number of connections, a bounded time for the head of a request, and a
//! bounded time for the end.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use axum::Router;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;
use tower::Service;
use tracing::{debug, warn};

use crate::caller::Peer;

/// So many are served at a time; others wait to be taken.
const MOST_CONNECTIONS: usize = 10_000;
/// How long the head of a request may take to come, and a connection may be of no use.
const HEAD_WITHIN: Duration = Duration::from_secs(30);
/// How long to wait when no connection can be taken, for lack of file descriptors perhaps.
const PAUSE: Duration = Duration::from_millis(100);

/// Serves until `stopping`, and then lets requests finish within `grace`.
pub(crate) async fn until(
    listener: TcpListener,
    router: Router,
    stopping: &CancellationToken,
    grace: Duration,
) {
    let graceful = GracefulShutdown::new();
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            () = stopping.cancelled() => break,
            Some(_) = connections.join_next() => {}
            taken = listener.accept(), if connections.len() < MOST_CONNECTIONS => match taken {
                Ok((stream, peer)) => serve(stream, peer, &router, &graceful, &mut connections),
                Err(error) => wait_a_little(&error).await,
            },
        }
    }
    drop(listener);
    if timeout(grace, graceful.shutdown()).await.is_err() {
        warn!(target: "steadfast", open = connections.len(), "requests are cut off: their time is over");
    }
    connections.shutdown().await;
}

fn serve(
    stream: TcpStream,
    peer: SocketAddr,
    router: &Router,
    graceful: &GracefulShutdown,
    connections: &mut JoinSet<()>,
) {
    // An answer is written whole; to wait for more of it helps nobody.
    let _ = stream.set_nodelay(true);
    let router = router.clone();
    let service = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(Peer(peer));
        router.clone().call(request)
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_WITHIN)
        .serve_connection(TokioIo::new(stream), service);
    let connection = graceful.watch(connection);
    connections.spawn(async move {
        if let Err(error) = connection.await {
            debug!(target: "steadfast", %peer, %error, "a connection broke off");
        }
    });
}

async fn wait_a_little(error: &io::Error) {
    warn!(target: "steadfast", %error, "a connection cannot be taken");
    sleep(PAUSE).await;
}
