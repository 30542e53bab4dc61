//! Connections: taking them, and letting them go.
//!
//! axum's own `serve` waits for its connections for good when it stops, and while it runs for the
//! head of a request and for whoever does not read an answer. A server that others talk to can
//! afford none of it, so the loop is here: a bounded number of connections, in all and for one
//! address, a bounded time for the head of a request and for an answer that stands still, and a
//! bounded time for the end.

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
use crate::http::client_network::network;
use crate::http::proxy::Proxies;
use crate::http::tls::Tls;
use crate::limits::fair_share::{Share, Shares};

/// How many bytes the head of a request may have. Of headers it may have a hundred.
const LARGEST_HEAD: usize = 64 << 10;
/// How long to wait when no connection can be taken, for lack of file descriptors perhaps.
const PAUSE: Duration = Duration::from_millis(100);
/// How often it is told that connections are turned away.
const TOLD_EVERY: Duration = Duration::from_secs(60);

/// Where connections come in, and how.
#[derive(Debug)]
pub(crate) struct Door {
    pub(crate) listener: TcpListener,
    pub(crate) tls: Option<Arc<Tls>>,
    /// How long the head of a request may take to come, and a connection may be of no use.
    pub(crate) head_within: Duration,
    /// How long an answer may stand still.
    pub(crate) still_within: Duration,
    /// So many are served at a time; others wait to be taken.
    pub(crate) most: usize,
    /// Who says truly for whom they ask.
    pub(crate) proxies: Proxies,
}

/// Serves until `stopping`, and then lets requests finish within `grace`.
pub(crate) async fn until(
    door: Door,
    router: Router,
    stopping: &CancellationToken,
    grace: Duration,
) {
    let Door { listener, tls, head_within, still_within, most, proxies } = door;
    let graceful = GracefulShutdown::new();
    let mut connections = JoinSet::new();
    let places = Shares::of(most);
    let (mut refusals, mut failures) = (Seldom::default(), Seldom::default());
    loop {
        tokio::select! {
            () = stopping.cancelled() => break,
            Some(_) = connections.join_next() => {}
            taken = listener.accept(), if connections.len() < most => match taken {
                Ok((stream, peer)) => {
                    let Ok(place) = places.take(network(peer.ip())) else {
                        refusals.tell(|| {
                            warn!(target: "steadfast", %peer, "one address has three quarters of all connections, and gets no more");
                        });
                        continue;
                    };
                    let connection = Connection {
                        peer,
                        proxies: proxies.clone(),
                        router: router.clone(),
                        head_within,
                        watcher: graceful.watcher(),
                        _place: place,
                    };
                    let stream = WriteTimeout::new(at_once(stream), still_within);
                    connections.spawn(connection.serve(stream, tls.clone()));
                }
                Err(error) => {
                    failures.tell(|| {
                        warn!(target: "steadfast", %error, "a connection cannot be taken");
                    });
                    sleep(PAUSE).await;
                }
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
    proxies: Proxies,
    router: Router,
    head_within: Duration,
    watcher: Watcher,
    _place: Share<IpAddr>,
}

impl Connection {
    async fn serve(self, stream: WriteTimeout<TcpStream>, tls: Option<Arc<Tls>>) {
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
        let Self { peer, proxies, router, head_within, watcher, _place } = self;
        let service = service_fn(move |mut request: Request<Incoming>| {
            let asker = proxies.asker(peer, request.headers());
            let over_tls = proxies.over_tls(peer, request.headers());
            request.extensions_mut().insert(asker);
            if let Some(over_tls) = over_tls {
                request.extensions_mut().insert(over_tls);
            }
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

/// An answer is written whole; to wait for more of it helps nobody.
fn at_once(stream: TcpStream) -> TcpStream {
    let _ = stream.set_nodelay(true);
    stream
}

/// What may happen a thousand times a second, and is told once a minute.
#[derive(Default)]
struct Seldom(Option<Instant>);

impl Seldom {
    fn tell(&mut self, tell: impl FnOnce()) {
        if self.0.is_none_or(|told| told.elapsed() >= TOLD_EVERY) {
            self.0 = Some(Instant::now());
            tell();
        }
    }
}
