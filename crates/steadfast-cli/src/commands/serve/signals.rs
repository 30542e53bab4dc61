//! The signals that end a server, and the one that has it read its policies again.
//!
//! The first that ends it is a request, and what runs may finish. Whoever sends a second one
//! does not want to wait: the process is gone, and what it did comes back to others when its
//! leases are over.

use steadfast::registry::Registry;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::task::AbortHandle;
use tracing::{info, warn};

use super::supervisor;
use crate::problem::Problem;

pub(super) struct Signals {
    interrupt: Signal,
    terminate: Signal,
}

impl Signals {
    pub(super) fn listen() -> Result<Self, Problem> {
        Ok(Self {
            interrupt: listen(SignalKind::interrupt())?,
            terminate: listen(SignalKind::terminate())?,
        })
    }

    /// Waits for the first one. The second ends the process.
    pub(super) async fn stop(mut self) {
        let signal = self.next().await;
        info!(target: "steadfast", signal = signal.as_raw_value(), "ending: what runs may finish");
        supervisor::stopping();
        tokio::spawn(async move {
            let signal = self.next().await.as_raw_value();
            warn!(target: "steadfast", signal, "ended at once: what ran comes back when its lease is over");
            std::process::exit(128 + signal);
        });
    }

    async fn next(&mut self) -> SignalKind {
        tokio::select! {
            _ = self.interrupt.recv() => SignalKind::interrupt(),
            _ = self.terminate.recv() => SignalKind::terminate(),
        }
    }
}

/// Has the policy file read again with every SIGHUP. What became of it is in the log.
pub(super) fn reload_on_hang_up(registry: Registry) -> Result<AbortHandle, Problem> {
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

fn listen(kind: SignalKind) -> Result<Signal, Problem> {
    signal(kind).map_err(|why| Problem::failed(format!("cannot listen to signals: {why}")))
}
