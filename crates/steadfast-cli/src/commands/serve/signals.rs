//! The signals that end a server, and the one that has it read its policies again.
//!
//! The first that ends it is a request, and what runs may finish. Whoever sends a second one
//! does not want to wait: the process is gone, and what it did comes back to others when its
//! leases are over. Only while it drains there is something else to be spared: then a second one
//! ends that, and a third one the process.

use std::future::{Future, pending};
use std::time::Duration;

use steadfast::registry::Registry;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::oneshot;
use tokio::task::AbortHandle;
use tokio::time::timeout;
use tracing::{info, warn};

use super::systemd;
use crate::error::CliError;

pub(super) struct Signals {
    interrupt: Signal,
    terminate: Signal,
}

impl Signals {
    pub(super) fn listen() -> Result<Self, CliError> {
        Ok(Self {
            interrupt: listen(SignalKind::interrupt())?,
            terminate: listen(SignalKind::terminate())?,
        })
    }

    /// Obeys them, for a server that drains for so long.
    pub(super) fn into_stop_signals(
        mut self,
        drain: Duration,
    ) -> StopSignals<impl Future<Output = ()>, impl Future<Output = ()>> {
        let ((stop_sender, stop), (hurry_sender, hurry)) = (oneshot::channel(), oneshot::channel());
        tokio::spawn(async move {
            let signal = self.next().await.as_raw_value();
            systemd::stopping();
            // A server that has ended by itself hears nothing.
            let _ = stop_sender.send(());
            if drain.is_zero() {
                info!(target: "steadfast", signal, "ending: what runs may finish");
            } else {
                info!(target: "steadfast", signal, ?drain, "draining: not ready, and going on");
                // Another one, or the end of it.
                let _ = timeout(drain, self.next()).await;
                let _ = hurry_sender.send(());
                info!(target: "steadfast", "ending, drained: what runs may finish");
            }
            let signal = self.next().await.as_raw_value();
            warn!(target: "steadfast", signal, "ended at once: what ran comes back when its lease is over");
            std::process::exit(128 + signal);
        });
        StopSignals { stop: received(stop), hurry: received(hurry) }
    }

    async fn next(&mut self) -> SignalKind {
        tokio::select! {
            _ = self.interrupt.recv() => SignalKind::interrupt(),
            _ = self.terminate.recv() => SignalKind::terminate(),
        }
    }
}

/// What signals ask of a server.
pub(super) struct StopSignals<S, H> {
    /// To end in order.
    pub(super) stop: S,
    /// And not to drain any longer.
    pub(super) hurry: H,
}

/// Waits for the word; for good if nobody is there to give it.
async fn received(word: oneshot::Receiver<()>) {
    if word.await.is_err() {
        pending().await
    }
}

/// Has the policy file read again with every SIGHUP. What became of it is in the log.
pub(super) fn reload_on_hang_up(registry: Registry) -> Result<AbortHandle, CliError> {
    let mut hang_up = listen(SignalKind::hangup())?;
    let reloading = tokio::spawn(async move {
        while hang_up.recv().await.is_some() {
            let registry = registry.clone();
            let _ = tokio::task::spawn_blocking(move || reload(&registry)).await;
        }
    });
    Ok(reloading.abort_handle())
}

/// A change, and a file that is refused, the registry tells by itself.
fn reload(registry: &Registry) {
    match (registry.health().file, registry.reload()) {
        (None, _) => info!(target: "steadfast", "there is no policy file to be read again"),
        (Some(file), Ok(None)) => info!(target: "steadfast", file, "the policy file is as it was"),
        (Some(_), _) => {}
    }
}

fn listen(kind: SignalKind) -> Result<Signal, CliError> {
    signal(kind).map_err(|why| CliError::failed(format!("cannot listen to signals: {why}")))
}
