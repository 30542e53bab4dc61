//! The connection pool, which discards connections after an error.
//!
//! A connection that broke, or that an answer may still be on its way on, must not be handed
//! to the next request, which would read that answer as its own. So a connection comes back
//! only by being [checked in](Pool::checkin) with how its request ended; one that is dropped,
//! because an attempt was cut off say, is closed.

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
    patience: Duration,
    idle: Mutex<Vec<SendRequest<Full<Bytes>>>>,
    free: Arc<Semaphore>,
    thrown_away: AtomicU64,
}

/// A connection in somebody's hands.
#[derive(Debug)]
pub struct Connection {
    sender: SendRequest<Full<Bytes>>,
    _place: OwnedSemaphorePermit,
}

impl Pool {
    /// A pool of at most `size` connections, none of which anybody waits for longer than that.
    pub fn new(server: SocketAddr, size: usize, patience: Duration) -> Self {
        let (idle, free) = (Mutex::default(), Arc::new(Semaphore::new(size)));
        Self { server, patience, idle, free, thrown_away: AtomicU64::new(0) }
    }

    /// A connection that is fit for use, an idle one if there is any.
    ///
    /// # Errors
    /// There is none to be had, or the server takes no new one.
    pub async fn checkout(&self) -> Result<Connection, Error> {
        let place = timeout(self.patience, Arc::clone(&self.free).acquire_owned());
        let Ok(Ok(place)) = place.await else {
            return Err(Error::PoolTimeout);
        };
        let sender = match self.fit() {
            Some(sender) => sender,
            None => self.connect().await?,
        };
        Ok(Connection { sender, _place: place })
    }

    /// Takes a connection back, with how its request ended (J4).
    pub fn checkin(&self, connection: Connection, error: Option<&Error>) {
        if error.is_some_and(|error| extract::failure(error).invalidates_connection()) {
            self.thrown_away.fetch_add(1, Ordering::Relaxed);
            return;
        }
        self.idle().push(connection.sender);
    }

    /// How many connections were not kept because of what happened on them.
    pub fn discarded(&self) -> u64 {
        self.thrown_away.load(Ordering::Relaxed)
    }

    /// An idle connection that the server has not closed meanwhile.
    fn fit(&self) -> Option<SendRequest<Full<Bytes>>> {
        let mut idle = self.idle();
        std::iter::from_fn(|| idle.pop()).find(SendRequest::is_ready)
    }

    async fn connect(&self) -> Result<SendRequest<Full<Bytes>>, Error> {
        let connecting = timeout(self.patience, TcpStream::connect(self.server)).await;
        let stream = connecting
            .unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
            .and_then(|stream| stream.set_nodelay(true).map(|()| stream))
            .map_err(Error::Connect)?;
        let (sender, traffic) =
            http1::handshake(TokioIo::new(stream)).await.map_err(Error::Lost)?;
        // What breaks it is told to whoever waits for an answer.
        tokio::spawn(traffic);
        Ok(sender)
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<SendRequest<Full<Bytes>>>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Connection {
    /// Sends a request and reads the whole answer.
    ///
    /// # Errors
    /// The answer is no success, or none came, or not all of it.
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
