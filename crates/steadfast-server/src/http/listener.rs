//! The connection listener: accepts connections, limits them and shuts them down.
//!
//! axum's own `serve` waits without limit for open connections on shutdown, for slow request heads and
//! for clients that do not read. This loop limits all of them: connections in total and per client, the
//! time for a request head, the time for a stalled write, and the shutdown grace period.

use std::net::{IpAddr, SocketAddr};
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
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;
use tower::Service;
use tracing::{debug, warn};

use super::write_timeout::WriteTimeout;
use super::{Tls, TrustedProxies, client_network};
use crate::limits::{FairShare, SharePermit};
use crate::server::Limits;

/// The maximum size of a request head. hyper limits it to 100 headers as well.
const MAX_HEAD_BYTES: usize = 64 << 10;
/// The pause after a failed accept, e.g. for lack of file descriptors.
const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(100);
/// The minimum time between two log lines about the same kind of rejected connection.
const LOG_INTERVAL: Duration = Duration::from_secs(60);

pub(crate) struct Listener {
    pub(crate) socket: TcpListener,
    pub(crate) tls: Option<Arc<Tls>>,
    pub(crate) limits: Limits,
    pub(crate) proxies: TrustedProxies,
}

/// Serves until `stopping`, then lets requests finish within the grace period.
pub(crate) async fn serve_until(listener: Listener, router: Router, stopping: &CancellationToken) {
    let Listener { socket, tls, limits, proxies } = listener;
    let graceful = GracefulShutdown::new();
    let mut connections = JoinSet::new();
    let shares = FairShare::new(limits.max_connections);
    let (mut rejections, mut failures) = (LogThrottle::default(), LogThrottle::default());
    loop {
        tokio::select! {
            () = stopping.cancelled() => break,
            Some(_) = connections.join_next() => {}
            accepted = socket.accept(), if connections.len() < limits.max_connections => match accepted {
                Ok((stream, peer)) => {
                    let Ok(permit) = shares.acquire(client_network(peer.ip())) else {
                        rejections.log(|| {
                            warn!(target: "steadfast", %peer, "connection rejected: the client holds three quarters of all connections");
                        });
                        continue;
                    };
                    let connection = Connection {
                        peer,
                        proxies: proxies.clone(),
                        router: router.clone(),
                        head_timeout: limits.head_timeout,
                        watcher: graceful.watcher(),
                        _permit: permit,
                    };
                    // Responses are written in one piece, so Nagle's algorithm would only delay them.
                    let _ = stream.set_nodelay(true);
                    let stream = WriteTimeout::new(stream, limits.write_timeout);
                    connections.spawn(connection.serve(stream, tls.clone()));
                }
                Err(error) => {
                    failures.log(|| {
                        warn!(target: "steadfast", %error, "cannot accept connections");
                    });
                    sleep(ACCEPT_RETRY_DELAY).await;
                }
            },
        }
    }
    drop(socket);
    if timeout(limits.grace, graceful.shutdown()).await.is_err() {
        let open = connections.len();
        warn!(target: "steadfast", open, "shutdown grace expired, closing {open} connections");
    }
    connections.shutdown().await;
}

struct Connection {
    peer: SocketAddr,
    proxies: TrustedProxies,
    router: Router,
    head_timeout: Duration,
    watcher: Watcher,
    _permit: SharePermit<IpAddr>,
}

impl Connection {
    async fn serve(self, stream: WriteTimeout<TcpStream>, tls: Option<Arc<Tls>>) {
        let peer = self.peer;
        let Some(tls) = tls else {
            return self.serve_http(stream).await;
        };
        match tls.accept(stream).await {
            Ok(stream) => self.serve_http(stream).await,
            Err(error) => debug!(target: "steadfast", %peer, %error, "TLS handshake failed"),
        }
    }

    async fn serve_http(self, stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static) {
        let Self { peer, proxies, router, head_timeout, watcher, _permit } = self;
        let service = service_fn(move |mut request: Request<Incoming>| {
            let client = proxies.client(peer, request.headers());
            let over_tls = proxies.over_tls(peer, request.headers());
            request.extensions_mut().insert(client);
            if let Some(over_tls) = over_tls {
                request.extensions_mut().insert(over_tls);
            }
            router.clone().call(request)
        });
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(head_timeout)
            .max_header_size(MAX_HEAD_BYTES)
            .serve_connection(TokioIo::new(stream), service);
        if let Err(error) = watcher.watch(connection).await {
            debug!(target: "steadfast", %peer, %error, "connection closed with an error");
        }
    }
}

/// Limits a log line to one per [`LOG_INTERVAL`].
#[derive(Default)]
struct LogThrottle(Option<Instant>);

impl LogThrottle {
    fn log(&mut self, log: impl FnOnce()) {
        if self.0.is_none_or(|last| last.elapsed() >= LOG_INTERVAL) {
            self.0 = Some(Instant::now());
            log();
        }
    }
}
