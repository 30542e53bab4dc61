//! The connection pool, which discards connections after an error.
//!
//! A connection that broke, or on which a response may still arrive, must not be used for the next
//! request, which would read that response as its own. So a connection returns to the pool only by
//! [`checkin`](Pool::checkin) with the result of its request; a connection that is dropped, for
//! example by a cancelled attempt, is closed.

use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::client::conn::http1::{self, SendRequest};
use hyper::{Request, StatusCode};
use hyper_util::rt::TokioIo;
use steadfast::extract;
use tokio::net::TcpStream;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use super::error::{Error, Refusal};

/// A bounded set of connections to one server.
#[derive(Debug)]
pub struct Pool {
    server: SocketAddr,
    wait_timeout: Duration,
    idle: Mutex<Vec<SendRequest<Full<Bytes>>>>,
    free: Arc<Semaphore>,
    thrown_away: AtomicU64,
}

/// A checked-out connection.
#[derive(Debug)]
pub struct Connection {
    sender: SendRequest<Full<Bytes>>,
    _place: OwnedSemaphorePermit,
}

impl Pool {
    /// A pool of at most `size` connections. `wait_timeout` limits connecting and the wait for a
    /// free one.
    pub fn new(server: SocketAddr, size: usize, wait_timeout: Duration) -> Self {
        let (idle, free) = (Mutex::default(), Arc::new(Semaphore::new(size)));
        Self { server, wait_timeout, idle, free, thrown_away: AtomicU64::new(0) }
    }

    /// A usable connection, an idle one if there is any.
    ///
    /// # Errors
    /// None became free in time, or the server did not accept a new one.
    pub async fn checkout(&self) -> Result<Connection, Error> {
        let place = timeout(self.wait_timeout, Arc::clone(&self.free).acquire_owned());
        let Ok(Ok(place)) = place.await else {
            return Err(Error::PoolTimeout);
        };
        let sender = match self.fit() {
            Some(sender) => sender,
            None => self.connect().await?,
        };
        Ok(Connection { sender, _place: place })
    }

    /// Returns a connection, with the result of its request (J4).
    pub fn checkin(&self, connection: Connection, error: Option<&Error>) {
        if error.is_some_and(|error| extract::failure(error).invalidates_connection()) {
            self.thrown_away.fetch_add(1, Ordering::Relaxed);
            return;
        }
        self.idle().push(connection.sender);
    }

    /// How many connections were discarded after an error.
    pub fn discarded(&self) -> u64 {
        self.thrown_away.load(Ordering::Relaxed)
    }

    /// An idle connection that the server has not closed.
    fn fit(&self) -> Option<SendRequest<Full<Bytes>>> {
        let mut idle = self.idle();
        std::iter::from_fn(|| idle.pop()).find(SendRequest::is_ready)
    }

    async fn connect(&self) -> Result<SendRequest<Full<Bytes>>, Error> {
        let connecting = timeout(self.wait_timeout, TcpStream::connect(self.server)).await;
        let stream = connecting
            .unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
            .and_then(|stream| stream.set_nodelay(true).map(|()| stream))
            .map_err(Error::Connect)?;
        let (sender, traffic) =
            http1::handshake(TokioIo::new(stream)).await.map_err(Error::Lost)?;
        // A request that waits for its response gets the error.
        tokio::spawn(traffic);
        Ok(sender)
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<SendRequest<Full<Bytes>>>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Connection {
    /// Sends a request and reads the whole response.
    ///
    /// # Errors
    /// The response is an error, is missing, or is incomplete.
    pub async fn exchange(&mut self, request: Request<Full<Bytes>>) -> Result<Bytes, Error> {
        let answer = self.sender.send_request(request).await.map_err(Error::Lost)?;
        let (head, body) = answer.into_parts();
        let body = body.collect().await.map_err(Error::Lost)?.to_bytes();
        if head.status == StatusCode::OK {
            return Ok(body);
        }
        Err(Error::Refused(Refusal::new(head.status, &head.headers, &body)))
    }
}
