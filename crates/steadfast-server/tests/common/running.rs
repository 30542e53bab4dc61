//! A server that runs until the test stops it.

use std::net::SocketAddr;

use steadfast_server::{ServeError, Server};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

pub(crate) struct Running {
    pub(crate) address: SocketAddr,
    /// Stops the server, also when it is dropped.
    pub(crate) stop: oneshot::Sender<()>,
    pub(crate) running: JoinHandle<Result<(), ServeError>>,
}

/// Starts a server on a free port.
pub(crate) async fn start(server: Server) -> Running {
    let bound = server.listen("127.0.0.1:0".parse().unwrap()).bind().await.unwrap();
    let address = bound.address();
    let (stop, stopped) = oneshot::channel();
    let running = tokio::spawn(bound.run_until(async {
        let _ = stopped.await;
    }));
    Running { address, stop, running }
}
