//! The server builder and its lifecycle.

use std::future::{Future, pending};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use steadfast_api::{Local, PolicySource};
use steadfast_store::{Actor, Store};
use steadfast_worker::Worker;
use tokio::net::TcpListener;
use tokio::task::JoinError;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;
use tracing::warn;

use crate::app::App;
use crate::auth::{Auth, Hosts, TokensFile};
use crate::embedded_worker::{self, EmbeddedWorker};
use crate::error::ServeError;
use crate::http::{Listener, Proxy, Tls, TrustedProxies, serve_until};
use crate::reload;
use crate::router::router;

const DEFAULT_ADDRESS: SocketAddr =
    SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 7700);
/// The time for mutations of disconnected clients to finish on shutdown.
const MUTATION_GRACE: Duration = Duration::from_secs(5);

/// A server for a store, with an embedded worker.
#[derive(Debug)]
#[must_use = "a server does nothing until it runs"]
pub struct Server {
    store: Store,
    api: Local,
    listen: SocketAddr,
    worker: EmbeddedWorker,
    web_ui: bool,
    tokens: Option<PathBuf>,
    tls: Option<(PathBuf, PathBuf)>,
    hosts: Hosts,
    proxies: Vec<Proxy>,
    limits: Limits,
}

impl Server {
    /// A server for this store, on the loopback address and with the built-in policies.
    pub fn new(store: Store) -> Self {
        let api = Local::new(store.clone(), Actor::new("server"));
        Self {
            store,
            api,
            listen: DEFAULT_ADDRESS,
            worker: EmbeddedWorker::BuiltIn,
            web_ui: true,
            tokens: None,
            tls: None,
            hosts: Hosts::default(),
            proxies: Vec::new(),
            limits: Limits::default(),
        }
    }

    /// Sets the address to listen on; the default is `127.0.0.1:7700`.
    pub fn listen(mut self, address: SocketAddr) -> Self {
        self.listen = address;
        self
    }

    /// Sets the policies that tasks can use by name.
    pub fn policies(mut self, policies: impl PolicySource) -> Self {
        self.api = self.api.with_policies(policies);
        self
    }

    /// Runs this worker instead of the default one, which calls public HTTP targets and runs no commands.
    pub fn worker(mut self, worker: Worker) -> Self {
        self.worker = EmbeddedWorker::Custom(Box::new(worker));
        self
    }

    /// Runs no worker: other processes claim the tasks. The server still promotes scheduled tasks and
    /// reclaims expired leases.
    pub fn without_worker(mut self) -> Self {
        self.worker = EmbeddedWorker::Disabled;
        self
    }

    /// Serves the API only.
    pub const fn without_web_ui(mut self) -> Self {
        self.web_ui = false;
        self
    }

    /// Sets how long requests, and tasks of the built-in worker, may take to finish on shutdown; the
    /// default is 30 seconds.
    pub const fn grace(mut self, grace: Duration) -> Self {
        self.limits.grace = grace;
        self
    }

    /// Keeps serving this long after the shutdown signal while `/readyz` reports not ready, so that load
    /// balancers notice; the default is zero.
    pub const fn drain(mut self, drain: Duration) -> Self {
        self.limits.drain = drain;
        self
    }

    /// Requires a token of this file, which is reloaded when it changes. Without tokens the server
    /// listens on loopback addresses only and does not authenticate.
    pub fn tokens(mut self, file: impl Into<PathBuf>) -> Self {
        self.tokens = Some(file.into());
        self
    }

    /// Serves over TLS with this certificate and key in PEM, which are reloaded when they change.
    pub fn tls(mut self, certificate: impl Into<PathBuf>, key: impl Into<PathBuf>) -> Self {
        self.tls = Some((certificate.into(), key.into()));
        self
    }

    /// Allows this host name, such as that of a proxy. Without tokens, requests for names other than
    /// loopback ones are rejected unless allowed here.
    pub fn host(mut self, name: &str) -> Self {
        self.hosts.add(name);
        self
    }

    /// Sets the timeouts for reading a request head, reading its body and a stalled response; the
    /// defaults are 30, 60 and 60 seconds.
    pub const fn io_timeout(mut self, timeout: Duration) -> Self {
        self.limits.head_timeout = timeout;
        self.limits.body_timeout = timeout;
        self.limits.write_timeout = timeout;
        self
    }

    /// Sets the maximum number of open connections, of which one client gets three quarters; the default
    /// is 25,000. Each takes a file descriptor, and so do the store and the worker's calls.
    pub const fn max_connections(mut self, max: usize) -> Self {
        self.limits.max_connections = max;
        self
    }

    /// Trusts this proxy to set the client address, which the audit log and the login throttle use. It
    /// comes from `X-Forwarded-For` or else `Forwarded`; the proxy must not pass on the client's own
    /// value of the header that it sets.
    pub fn trust_proxy(mut self, proxy: Proxy) -> Self {
        self.proxies.push(proxy);
        self
    }

    /// Binds the address. Connections wait until the server [runs](BoundServer::run_until).
    ///
    /// # Errors
    /// The address cannot be bound or is public without tokens, the worker cannot be created, or the
    /// tokens or the certificate are invalid.
    pub async fn bind(self) -> Result<BoundServer, ServeError> {
        let Self { store, api, listen, worker, web_ui, tokens, tls, hosts, proxies, limits } = self;
        let tokens = tokens.map(TokensFile::read).transpose()?;
        let tls = tls.map(|(certificate, key)| Tls::read(certificate, key)).transpose()?;
        check_public(listen, tokens.as_ref(), tls.is_some())?;
        let worker = worker.build(&store, limits.grace)?;
        let cannot_listen = |source| ServeError::Listen { address: listen, source };
        let socket = TcpListener::bind(listen).await.map_err(cannot_listen)?;
        let address = socket.local_addr().map_err(cannot_listen)?;
        let auth = Auth::new(tokens, hosts, tls.is_some(), web_ui);
        let app = App::new(store, api, auth, limits.body_timeout);
        let (tls, proxies) = (tls.map(Arc::new), proxies.into_iter().collect());
        Ok(BoundServer { socket, address, app, web_ui, worker, tls, proxies, limits })
    }

    /// Serves until `shutdown` resolves; see [`BoundServer::run_until`].
    ///
    /// # Errors
    /// As for [`bind`](Self::bind) and [`BoundServer::run_until`].
    pub async fn run_until(self, shutdown: impl Future<Output = ()>) -> Result<(), ServeError> {
        self.bind().await?.run_until(shutdown).await
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Timeout of a request head, which also limits idle connections.
    pub(crate) head_timeout: Duration,
    body_timeout: Duration,
    /// Timeout of a stalled write.
    pub(crate) write_timeout: Duration,
    /// The maximum number of open connections; further ones wait in the accept backlog.
    pub(crate) max_connections: usize,
    /// The time for requests and tasks to finish on shutdown.
    pub(crate) grace: Duration,
    drain: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            head_timeout: Duration::from_secs(30),
            body_timeout: Duration::from_secs(60),
            write_timeout: Duration::from_secs(60),
            max_connections: 25_000,
            grace: Duration::from_secs(30),
            drain: Duration::ZERO,
        }
    }
}

/// Rejects a public address without authentication (K1).
fn check_public(
    listen: SocketAddr,
    tokens: Option<&TokensFile>,
    over_tls: bool,
) -> Result<(), ServeError> {
    let is_public = !listen.ip().to_canonical().is_loopback();
    match tokens {
        None if is_public => return Err(ServeError::Public(listen)),
        Some(file) if file.tokens().is_empty() => {
            return Err(ServeError::NoTokens(file.path().to_owned()));
        }
        _ => {}
    }
    if is_public && !over_tls {
        warn!(target: "steadfast", %listen, "tokens are sent unencrypted: configure a TLS certificate or a TLS proxy");
    }
    Ok(())
}

async fn run_telemetry(app: &App) {
    #[cfg(feature = "otlp")]
    tokio::join!(app.metrics.clone().run_upkeep(), crate::telemetry::otlp::export_gauges(app));
    #[cfg(not(feature = "otlp"))]
    app.metrics.clone().run_upkeep().await;
}

/// A server with a bound address.
#[derive(Debug)]
#[must_use = "a server does nothing until it runs"]
pub struct BoundServer {
    socket: TcpListener,
    address: SocketAddr,
    app: App,
    web_ui: bool,
    worker: Option<Worker>,
    tls: Option<Arc<Tls>>,
    proxies: TrustedProxies,
    limits: Limits,
}

impl BoundServer {
    /// The bound address, with the actual port if port 0 was requested.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// The URL of the server.
    #[must_use]
    pub fn url(&self) -> String {
        let scheme = if self.tls.is_some() { "https" } else { "http" };
        format!("{scheme}://{}", self.address)
    }

    /// Serves until `shutdown` resolves, then shuts down gracefully: it reports not ready while it
    /// [drains](Server::drain), then accepts no new connections, claims no tasks, ends event streams and
    /// lets requests and running tasks finish within the [grace period](Server::grace). Unfinished
    /// tasks are released.
    ///
    /// # Errors
    /// The worker cannot run.
    pub async fn run_until(self, shutdown: impl Future<Output = ()>) -> Result<(), ServeError> {
        self.run_with_signals(shutdown, pending()).await
    }

    /// The same, but stops draining when `skip_drain` resolves.
    ///
    /// # Errors
    /// As for [`run_until`](Self::run_until).
    pub async fn run_with_signals(
        self,
        shutdown: impl Future<Output = ()>,
        skip_drain: impl Future<Output = ()>,
    ) -> Result<(), ServeError> {
        let app = self.app.clone();
        // The audit writer runs until the last request has finished.
        let stopped = CancellationToken::new();
        let serving = async {
            let _stopped = stopped.clone().drop_guard();
            self.serve(shutdown, skip_drain).await
        };
        let audit = app.audit.run(&app.store, &stopped);
        let (result, ()) = tokio::join!(serving, audit);
        app.audit.flush(&app.store).await;
        result
    }

    /// Serves until all requests have finished or are aborted.
    async fn serve(
        self,
        shutdown: impl Future<Output = ()>,
        skip_drain: impl Future<Output = ()>,
    ) -> Result<(), ServeError> {
        let Self { socket, app, web_ui, worker, tls, proxies, limits, .. } = self;
        let stopping = app.stopping.clone();
        let shutdown = async {
            tokio::select! {
                () = drained(&app, shutdown, limits.drain, skip_drain) => stopping.cancel(),
                () = stopping.cancelled() => {}
            }
        };
        let telemetry = stopping.run_until_cancelled(run_telemetry(&app));
        let flow = app.api_for(Actor::new("server")).flow().clone();
        // Spawned, so that requests do not wait for the worker.
        let worker = embedded_worker::run_until(worker, app.store.clone(), flow, stopping.clone());
        let worker = AbortOnDropHandle::new(tokio::spawn(worker));
        let listener = Listener { socket, tls: tls.clone(), limits, proxies };
        let serving = serve_until(listener, router(app.clone(), web_ui), &stopping);
        let files = reload::watch_files(&app, tls);
        let (worked, (), (), (), _) = tokio::join!(worker, serving, shutdown, files, telemetry);
        let aborted = app.mutations.wait_idle(MUTATION_GRACE).await;
        if aborted > 0 {
            warn!(target: "steadfast", aborted, "the store does not respond, aborting {aborted} mutations");
        }
        worked.unwrap_or_else(worker_aborted)
    }
}

/// Resumes a panic of the worker; otherwise the runtime shuts down.
fn worker_aborted(error: JoinError) -> Result<(), ServeError> {
    match error.try_into_panic() {
        Ok(panic) => std::panic::resume_unwind(panic),
        Err(_) => Ok(()),
    }
}

/// Waits for the shutdown signal and the end of the drain time.
async fn drained(
    app: &App,
    shutdown: impl Future<Output = ()>,
    drain: Duration,
    skip_drain: impl Future<Output = ()>,
) {
    shutdown.await;
    app.draining.cancel();
    let _ = timeout(drain, skip_drain).await;
}
