//! Workers that a test starts and stops.

use std::time::Duration;

use steadfast_store::Store;
use steadfast_worker::{Maintenance, Worker};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

/// A worker that runs beside the test.
pub(crate) struct Running {
    stop: oneshot::Sender<()>,
    ended: JoinHandle<()>,
}

pub(crate) fn start(worker: Worker) -> Running {
    let (stop, stopped) = oneshot::channel::<()>();
    let ended = tokio::spawn(async move {
        worker.run_until(async { drop(stopped.await) }).await.unwrap();
    });
    Running { stop, ended }
}

impl Running {
    /// Lets it end in order. Everything it did is written then.
    pub(crate) async fn stop(self) {
        self.stop.send(()).unwrap();
        self.ended.await.unwrap();
    }

    /// As if its process had been killed.
    pub(crate) async fn kill(self) {
        self.ended.abort();
        assert!(self.ended.await.unwrap_err().is_cancelled());
    }
}

/// A worker that a test need not wait for.
pub(crate) fn quick(store: &Store) -> Worker {
    let maintenance = Maintenance::default().reclaim_every(Duration::from_millis(50));
    Worker::new(store.clone()).maintenance(maintenance).lease(Duration::from_secs(1))
}

/// Where handlers say what they have seen.
pub(crate) fn signals<T>() -> (mpsc::UnboundedSender<T>, Heard<T>) {
    let (sender, receiver) = mpsc::unbounded_channel();
    (sender, Heard(receiver))
}

pub(crate) struct Heard<T>(mpsc::UnboundedReceiver<T>);

impl<T> Heard<T> {
    pub(crate) async fn next(&mut self) -> T {
        self.0.recv().await.expect("a handler is still there")
    }

    pub(crate) async fn some(&mut self, count: usize) -> Vec<T> {
        let mut heard = Vec::with_capacity(count);
        while heard.len() < count {
            heard.push(self.next().await);
        }
        heard
    }

    /// What else was said, now that everybody is gone.
    pub(crate) fn rest(mut self) -> Vec<T> {
        std::iter::from_fn(|| self.0.try_recv().ok()).collect()
    }
}
