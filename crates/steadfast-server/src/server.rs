//! The server that a program builds.

use std::future::Future;
use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use steadfast_api::{InForce, Local};
use steadfast_store::{By, Store};
use steadfast_worker::Worker;
use tokio::net::TcpListener;

use crate::app::App;
use crate::error::ServeError;
use crate::router::router;
use crate::serving;
use crate::work::{self, Work};

/// Where it listens unless told.
const LISTEN: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 7700);
/// How long requests and tasks may go on when it stops.
const GRACE: Duration = Duration::from_secs(30);

/// A store's API on a port, and a worker beside it.
#[derive(Debug)]
#[must_use = "a server does nothing until it runs"]
pub struct Server {
    store: Store,
    api: Local,
    listen: SocketAddr,
    work: Work,
    grace: Duration,
}

impl Server {
    /// Serves this store, on the loopback address and with the ready-made policies.
    pub fn new(store: Store) -> Self {
        let api = Local::new(store.clone(), By::new("server"));
        Self { store, api, listen: LISTEN, work: Work::BuiltIn, grace: GRACE }
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

    /// Runs no worker: others claim the tasks.
    pub fn without_worker(mut self) -> Self {
        self.work = Work::Others;
        self
    }

    /// How long requests, and tasks of the built-in worker, may go on when the server stops; 30
    /// seconds unless said.
    pub const fn grace(mut self, grace: Duration) -> Self {
        self.grace = grace;
        self
    }

    /// Takes its place on the network. Connections wait until it [runs](Bound::run_until).
    ///
    /// # Errors
    /// The address cannot be had or is public, or the worker cannot be made.
    pub async fn bind(self) -> Result<Bound, ServeError> {
        let Self { store, api, listen, work, grace } = self;
        if !listen.ip().is_loopback() {
            return Err(ServeError::Public(listen));
        }
        let worker = work.worker(&store, grace)?;
        let unheard = |source| ServeError::Listen { address: listen, source };
        let listener = TcpListener::bind(listen).await.map_err(unheard)?;
        let address = listener.local_addr().map_err(unheard)?;
        Ok(Bound { listener, address, app: App::new(store, api), worker, grace })
    }

    /// Serves until `shutdown` resolves: see [`Bound::run_until`].
    ///
    /// # Errors
    /// As for [`bind`](Self::bind) and [`Bound::run_until`].
    pub async fn run_until(self, shutdown: impl Future<Output = ()>) -> Result<(), ServeError> {
        self.bind().await?.run_until(shutdown).await
    }
}

/// A server that has its place on the network.
#[derive(Debug)]
#[must_use = "a server does nothing until it runs"]
pub struct Bound {
    listener: TcpListener,
    address: SocketAddr,
    app: App,
    worker: Option<Worker>,
    grace: Duration,
}

impl Bound {
    /// Where it listens: the port that was given, if none was asked for.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves until `shutdown` resolves, and then ends in order: no new connections and no new
    /// claims, followers of events are let go, requests and running tasks may finish within the
    /// [grace](Server::grace), tasks that did not go back at once.
    ///
    /// # Errors
    /// The worker cannot be run as it was told.
    pub async fn run_until(self, shutdown: impl Future<Output = ()>) -> Result<(), ServeError> {
        let Self { listener, app, worker, grace, .. } = self;
        let stopping = app.stopping().clone();
        let told = async {
            tokio::select! {
                () = shutdown => stopping.cancel(),
                () = stopping.cancelled() => {}
            }
        };
        let work = work::until(worker, &stopping);
        let serving = serving::until(listener, router(app), &stopping, grace);
        let (worked, (), ()) = tokio::join!(work, serving, told);
        worked
    }
}
