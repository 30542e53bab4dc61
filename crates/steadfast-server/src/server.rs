//! The server that a program builds.

use std::future::{Future, pending};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use steadfast_api::{InForce, Local};
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
use crate::embedded_worker::{self, Work};
use crate::error::ServeError;
use crate::http::listener::{self, Door};
use crate::http::proxy::{Proxies, Proxy};
use crate::http::tls::Tls;
use crate::reload;
use crate::router::router;

/// Where it listens unless told.
const LISTEN: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 7700);
/// How long a client may take.
const HEAD: Duration = Duration::from_secs(30);
const BODY: Duration = Duration::from_secs(60);
const STILL: Duration = Duration::from_secs(60);
/// How long requests and tasks may go on when it stops.
const GRACE: Duration = Duration::from_secs(30);
/// How long what was begun may go on when nobody waits for it any more.
const LAST_CHANGES: Duration = Duration::from_secs(5);
/// How many connections there may be at a time.
const CONNECTIONS: usize = 25_000;

/// A store's API on a port, and a worker beside it.
#[derive(Debug)]
#[must_use = "a server does nothing until it runs"]
pub struct Server {
    store: Store,
    api: Local,
    listen: SocketAddr,
    work: Work,
    page: bool,
    tokens: Option<PathBuf>,
    tls: Option<(PathBuf, PathBuf)>,
    hosts: Hosts,
    proxies: Vec<Proxy>,
    limits: Limits,
}

impl Server {
    /// Serves this store, on the loopback address and with the ready-made policies.
    pub fn new(store: Store) -> Self {
        let api = Local::new(store.clone(), Actor::new("server"));
        Self {
            store,
            api,
            listen: LISTEN,
            work: Work::BuiltIn,
            page: true,
            tokens: None,
            tls: None,
            hosts: Hosts::default(),
            proxies: Vec::new(),
            limits: Limits::default(),
        }
    }

    /// Where to listen; `127.0.0.1:7700` unless said.
    pub fn listen(mut self, address: SocketAddr) -> Self {
        self.listen = address;
        self
    }

    /// The policies that tasks can have by name.
    pub fn policies(mut self, policies: impl InForce) -> Self {
        self.api = self.api.with_policies(policies);
        self
    }

    /// Runs this worker, and not the one that does public HTTP calls and no commands.
    pub fn worker(mut self, worker: Worker) -> Self {
        self.work = Work::Given(Box::new(worker));
        self
    }

    /// Runs no worker: others claim the tasks. What is due is still made ready, and what a lost
    /// worker had is still found.
    pub fn without_worker(mut self) -> Self {
        self.work = Work::Others;
        self
    }

    /// Shows no page: the API is all there is.
    pub const fn without_page(mut self) -> Self {
        self.page = false;
        self
    }

    /// How long requests, and tasks of the built-in worker, may go on when the server stops; 30
    /// seconds unless said.
    pub const fn grace(mut self, grace: Duration) -> Self {
        self.limits.grace = grace;
        self
    }

    /// How long the server goes on when it is told to stop, and says meanwhile that it is not ready:
    /// a balancer that looks every few seconds has time to notice. Not at all unless said.
    pub const fn drain(mut self, drain: Duration) -> Self {
        self.limits.drain = drain;
        self
    }

    /// Asks everybody for a token of this file, which is read again when it changes. Without one
    /// the server listens on loopback addresses alone, and asks nobody.
    pub fn tokens(mut self, file: impl Into<PathBuf>) -> Self {
        self.tokens = Some(file.into());
        self
    }

    /// Serves over TLS, with a certificate and its key in PEM, which are read again when they
    /// change.
    pub fn tls(mut self, certificate: impl Into<PathBuf>, key: impl Into<PathBuf>) -> Self {
        self.tls = Some((certificate.into(), key.into()));
        self
    }

    /// A name that the server is reached by, such as the one that a proxy has. Without tokens
    /// names that are not of this machine are refused unless they are said here.
    pub fn host(mut self, name: &str) -> Self {
        self.hosts.add(name);
        self
    }

    /// How long the head of a request, and then its body, may take to come, and how long an answer
    /// may stand still because nobody reads it; 30, 60 and 60 seconds unless said.
    pub const fn patience(mut self, within: Duration) -> Self {
        (self.limits.head, self.limits.body, self.limits.still) = (within, within, within);
        self
    }

    /// How many connections there may be at a time, three quarters of them from one address; 25 000
    /// unless said. Each takes a file descriptor, and so do the store and the worker's calls.
    pub const fn connections(mut self, most: usize) -> Self {
        self.limits.connections = most;
        self
    }

    /// Believes these, as proxies, for whom they ask: who that is stands in the audit log, and is
    /// who has to wait after wrong tokens. They say it with `X-Forwarded-For` or, where that
    /// is not there, with `Forwarded`; the one that they write they must not take from whoever asks
    /// them.
    pub fn trust_proxy(mut self, proxy: Proxy) -> Self {
        self.proxies.push(proxy);
        self
    }

    /// Takes its place on the network. Connections wait until it [runs](Bound::run_until).
    ///
    /// # Errors
    /// The address cannot be had or is public without tokens, the worker cannot be made, or the
    /// tokens or the certificate cannot be used.
    pub async fn bind(self) -> Result<Bound, ServeError> {
        let Self { store, api, listen, work, page, tokens, tls, hosts, proxies, limits } = self;
        let tokens = tokens.map(TokensFile::read).transpose()?;
        let tls = tls.map(|(certificate, key)| Tls::read(certificate, key)).transpose()?;
        check_public(listen, tokens.as_ref(), tls.is_some())?;
        let worker = work.worker(&store, limits.grace)?;
        let unheard = |source| ServeError::Listen { address: listen, source };
        let listener = TcpListener::bind(listen).await.map_err(unheard)?;
        let address = listener.local_addr().map_err(unheard)?;
        let auth = Auth::new(tokens, hosts, tls.is_some(), page);
        let app = App::new(store, api, auth, limits.body);
        let (tls, proxies) = (tls.map(Arc::new), proxies.into_iter().collect());
        Ok(Bound { listener, address, app, page, worker, tls, proxies, limits })
    }

    /// Serves until `shutdown` resolves: see [`Bound::run_until`].
    ///
    /// # Errors
    /// As for [`bind`](Self::bind) and [`Bound::run_until`].
    pub async fn run_until(self, shutdown: impl Future<Output = ()>) -> Result<(), ServeError> {
        self.bind().await?.run_until(shutdown).await
    }
}

/// How long anything may take, and how many there may be.
#[derive(Clone, Copy, Debug)]
struct Limits {
    /// How long the head of a request may take to come.
    head: Duration,
    /// How long its body may.
    body: Duration,
    /// How long an answer may stand still.
    still: Duration,
    connections: usize,
    grace: Duration,
    drain: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            head: HEAD,
            body: BODY,
            still: STILL,
            connections: CONNECTIONS,
            grace: GRACE,
            drain: Duration::ZERO,
        }
    }
}

/// Whether everybody who can reach this address has to say who they are (K1).
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
        warn!(target: "steadfast", %listen, "tokens go over the network as they are: name a certificate, or have a proxy with TLS before this");
    }
    Ok(())
}

/// Keeps what is measured in order, and sends what is sent.
async fn kept_up(app: &App) {
    #[cfg(feature = "otlp")]
    tokio::join!(app.metrics().keep_up(), crate::telemetry::otlp::tell_of(app));
    #[cfg(not(feature = "otlp"))]
    app.metrics().keep_up().await;
}

/// A server that has its place on the network.
#[derive(Debug)]
#[must_use = "a server does nothing until it runs"]
pub struct Bound {
    listener: TcpListener,
    address: SocketAddr,
    app: App,
    page: bool,
    worker: Option<Worker>,
    tls: Option<Arc<Tls>>,
    proxies: Proxies,
    limits: Limits,
}

impl Bound {
    /// Where it listens: the port that was given, if none was asked for.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// The same as a URL.
    #[must_use]
    pub fn url(&self) -> String {
        let scheme = if self.tls.is_some() { "https" } else { "http" };
        format!("{scheme}://{}", self.address)
    }

    /// Serves until `shutdown` resolves, and then ends in order: no new connections and no new
    /// claims, followers of events are let go, requests and running tasks may finish within the
    /// [grace](Server::grace), tasks that did not go back at once. Before that it is not ready for
    /// as long as it [drains](Server::drain), and does everything else.
    ///
    /// # Errors
    /// The worker cannot be run as it was told.
    pub async fn run_until(self, shutdown: impl Future<Output = ()>) -> Result<(), ServeError> {
        self.run_until_hurried(shutdown, pending()).await
    }

    /// The same, and it drains no longer when `hurry` resolves.
    ///
    /// # Errors
    /// As for [`run_until`](Self::run_until).
    pub async fn run_until_hurried(
        self,
        shutdown: impl Future<Output = ()>,
        hurry: impl Future<Output = ()>,
    ) -> Result<(), ServeError> {
        let app = self.app.clone();
        // What is noted while the last requests end is written like all else.
        let served = CancellationToken::new();
        let serving = async {
            let _ends = served.clone().drop_guard();
            self.serve(shutdown, hurry).await
        };
        let journal = app.journal().keep(app.store(), &served);
        let (outcome, ()) = tokio::join!(serving, journal);
        app.journal().end(app.store()).await;
        outcome
    }

    /// Serves until everything that was asked for is done, or cut off.
    async fn serve(
        self,
        shutdown: impl Future<Output = ()>,
        hurry: impl Future<Output = ()>,
    ) -> Result<(), ServeError> {
        let Self { listener, app, page, worker, tls, proxies, limits, .. } = self;
        let stopping = app.stopping().clone();
        let told = async {
            tokio::select! {
                () = left(&app, shutdown, limits.drain, hurry) => stopping.cancel(),
                () = stopping.cancelled() => {}
            }
        };
        let kept_up = stopping.run_until_cancelled(kept_up(&app));
        let flow = app.asked_by(Actor::new("server")).flow().clone();
        // It has a thread of its own if there is one: who asks does not wait for those who work.
        let work = embedded_worker::until(worker, app.store().clone(), flow, stopping.clone());
        let work = AbortOnDropHandle::new(tokio::spawn(work));
        let door = Door {
            listener,
            tls: tls.clone(),
            head_within: limits.head,
            still_within: limits.still,
            most: limits.connections,
            proxies,
        };
        let serving = listener::until(door, router(app.clone(), page), &stopping, limits.grace);
        let files = reload::kept_up(&app, tls);
        let (worked, (), (), (), _) = tokio::join!(work, serving, told, files, kept_up);
        let changes = app.changes().all_done(LAST_CHANGES).await;
        if changes > 0 {
            warn!(target: "steadfast", changes, "what was asked for is cut off: the store does not answer");
        }
        worked.unwrap_or_else(cut_off)
    }
}

/// A panic goes on its way; otherwise the process is at its end.
fn cut_off(error: JoinError) -> Result<(), ServeError> {
    match error.try_into_panic() {
        Ok(panic) => std::panic::resume_unwind(panic),
        Err(_) => Ok(()),
    }
}

/// Waits until the server may stop: it was told to, and others had time to notice.
async fn left(
    app: &App,
    shutdown: impl Future<Output = ()>,
    drain: Duration,
    hurry: impl Future<Output = ()>,
) {
    shutdown.await;
    app.leaving().cancel();
    let _ = timeout(drain, hurry).await;
}
