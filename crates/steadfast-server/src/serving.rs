//! Connections: taking them, and letting them go.
//!
//! axum's own `serve` waits for its connections for good when it stops, and for the head of a
//! request for good while it runs. A server that others talk to can afford neither, so the loop
//! is here: a bounded number of connections, a bounded time for the head of a request, and a
//! bounded time for the end.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;
use tower::Service;
use tracing::{debug, warn};

use crate::caller::Peer;
use crate::tls::Tls;

/// So many are served at a time; others wait to be taken.
const MOST_CONNECTIONS: usize = 10_000;
/// How many bytes the head of a request may have. Of headers it may have a hundred.
const LARGEST_HEAD: usize = 64 << 10;
/// How long to wait when no connection can be taken, for lack of file descriptors perhaps.
const PAUSE: Duration = Duration::from_millis(100);

/// Where connections come in, and how.
#[derive(Debug)]
pub(crate) struct Door {
    pub(crate) listener: TcpListener,
    pub(crate) tls: Option<Arc<Tls>>,
    /// How long the head of a request may take to come, and a connection may be of no use.
    pub(crate) head_within: Duration,
}

/// Serves until `stopping`, and then lets requests finish within `grace`.
pub(crate) async fn until(
    door: Door,
    router: Router,
    stopping: &CancellationToken,
    grace: Duration,
) {
    let Door { listener, tls, head_within } = door;
    let graceful = GracefulShutdown::new();
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            () = stopping.cancelled() => break,
            Some(_) = connections.join_next() => {}
            taken = listener.accept(), if connections.len() < MOST_CONNECTIONS => match taken {
                Ok((stream, peer)) => {
                    let connection = Connection {
                        peer,
                        router: router.clone(),
                        head_within,
                        watcher: graceful.watcher(),
                    };
                    connections.spawn(connection.serve(stream, tls.clone()));
                }
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

struct Connection {
    peer: SocketAddr,
    router: Router,
    head_within: Duration,
    watcher: Watcher,
}

impl Connection {
    async fn serve(self, stream: TcpStream, tls: Option<Arc<Tls>>) {
        // An answer is written whole; to wait for more of it helps nobody.
        let _ = stream.set_nodelay(true);
        let peer = self.peer;
        let Some(tls) = tls else {
            return self.speak(stream).await;
        };
        match tls.accept(stream).await {
            Ok(stream) => self.speak(stream).await,
            Err(error) => debug!(target: "steadfast", %peer, %error, "no handshake"),
        }
    }

    async fn speak(self, stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static) {
        let Self { peer, router, head_within, watcher } = self;
        let service = service_fn(move |mut request: Request<Incoming>| {
            request.extensions_mut().insert(Peer(peer));
            router.clone().call(request)
        });
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(head_within)
            .max_header_size(LARGEST_HEAD)
            .serve_connection(TokioIo::new(stream), service);
        if let Err(error) = watcher.watch(connection).await {
            debug!(target: "steadfast", %peer, %error, "a connection broke off");
        }
    }
}

async fn wait_a_little(error: &io::Error) {
    warn!(target: "steadfast", %error, "a connection cannot be taken");
    sleep(PAUSE).await;
}
