//! The telemetry collector, which is down at first.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::Router;
use axum::extract::{Path, State};
use axum::routing::post;
use tokio::net::TcpSocket;

/// A collector that is down until it is [started](Self::start).
pub struct Collector {
    address: SocketAddr,
    away: Mutex<Option<TcpSocket>>,
    taken: Taken,
}

/// The kinds of the posted messages.
type Taken = Arc<Mutex<Vec<String>>>;

impl Collector {
    /// A collector that is down.
    pub fn away() -> io::Result<Self> {
        let socket = TcpSocket::new_v4()?;
        socket.bind((Ipv4Addr::LOCALHOST, 0).into())?;
        let address = socket.local_addr()?;
        Ok(Self { address, away: Mutex::new(Some(socket)), taken: Taken::default() })
    }

    /// Starts the collector.
    pub fn start(&self) -> io::Result<()> {
        let Some(socket) = held(&self.away).take() else { return Ok(()) };
        let listener = socket.listen(64)?;
        let taken = Arc::clone(&self.taken);
        let router = Router::new().route("/{what}", post(take)).with_state(taken);
        tokio::spawn(async { axum::serve(listener, router).await });
        Ok(())
    }

    /// Its URL.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The received messages, in order.
    pub fn taken(&self) -> Vec<String> {
        held(&self.taken).clone()
    }
}

async fn take(State(taken): State<Taken>, Path(what): Path<String>) {
    held(&taken).push(what);
}

fn held<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}
