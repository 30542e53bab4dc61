//! Workers in tests: start, stop and kill.

use std::time::Duration;

use steadfast_store::Store;
use steadfast_worker::{Maintenance, Worker};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

/// A worker in the background of a test.
pub(crate) struct RunningWorker {
    stop: oneshot::Sender<()>,
    ended: JoinHandle<()>,
}

pub(crate) fn start(worker: Worker) -> RunningWorker {
    let (stop, stopped) = oneshot::channel::<()>();
    let ended = tokio::spawn(async move {
        worker.run_until(async { drop(stopped.await) }).await.unwrap();
    });
    RunningWorker { stop, ended }
}

impl RunningWorker {
    /// Shuts it down gracefully. All its results are settled then.
    pub(crate) async fn stop(self) {
        self.stop.send(()).unwrap();
        self.ended.await.unwrap();
    }

    /// Drops it, as if its process had been killed.
    pub(crate) async fn kill(self) {
        self.ended.abort();
        assert!(self.ended.await.unwrap_err().is_cancelled());
    }
}

/// A worker with short intervals.
pub(crate) fn quick(store: &Store) -> Worker {
    let maintenance = Maintenance::default().reclaim_every(Duration::from_millis(50));
    Worker::new(store.clone()).maintenance(maintenance).lease(Duration::from_secs(1))
}

/// A channel for signals from handlers.
pub(crate) fn signal_channel<T>() -> (mpsc::UnboundedSender<T>, Signals<T>) {
    let (sender, receiver) = mpsc::unbounded_channel();
    (sender, Signals(receiver))
}

pub(crate) struct Signals<T>(mpsc::UnboundedReceiver<T>);

impl<T> Signals<T> {
    pub(crate) async fn next(&mut self) -> T {
        self.0.recv().await.expect("a handler still holds the sender")
    }

    pub(crate) async fn some(&mut self, count: usize) -> Vec<T> {
        let mut signals = Vec::with_capacity(count);
        while signals.len() < count {
            signals.push(self.next().await);
        }
        signals
    }

    /// The remaining signals.
    pub(crate) fn rest(mut self) -> Vec<T> {
        std::iter::from_fn(|| self.0.try_recv().ok()).collect()
    }
}
