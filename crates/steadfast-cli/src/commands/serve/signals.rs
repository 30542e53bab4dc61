//! Stop and reload signals of the server.
//!
//! The first stop signal starts a graceful shutdown. A second one exits at once; running tasks are
//! reclaimed when their leases expire. While draining, the second signal only ends the drain, and
//! the third one exits.

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

    /// Handles the signals, for a server with this drain period.
    pub(super) fn into_stop_signals(
        mut self,
        drain: Duration,
    ) -> StopSignals<impl Future<Output = ()>, impl Future<Output = ()>> {
        let ((stop_sender, stop), (hurry_sender, hurry)) = (oneshot::channel(), oneshot::channel());
        tokio::spawn(async move {
            let signal = self.next().await.as_raw_value();
            systemd::stopping();
            // The receiver is gone if the server has stopped by itself.
            let _ = stop_sender.send(());
            if drain.is_zero() {
                info!(target: "steadfast", signal, "shutting down: waiting for running tasks");
            } else {
                info!(target: "steadfast", signal, ?drain, "draining: still serving, reporting not ready");
                // Until another signal or the end of the drain period.
                let _ = timeout(drain, self.next()).await;
                let _ = hurry_sender.send(());
                info!(target: "steadfast", "drained, shutting down: waiting for running tasks");
            }
            let signal = self.next().await.as_raw_value();
            warn!(target: "steadfast", signal, "exiting at once: running tasks are reclaimed when their leases expire");
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

/// Futures that resolve on stop signals.
pub(super) struct StopSignals<S, H> {
    /// Start of the shutdown.
    pub(super) stop: S,
    /// End of the drain.
    pub(super) hurry: H,
}

/// Waits for the message; forever if the sender is gone.
async fn received(message: oneshot::Receiver<()>) {
    if message.await.is_err() {
        pending().await
    }
}

/// Reloads the policy file on SIGHUP. The result is logged.
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

/// The registry logs a change or an invalid file itself.
fn reload(registry: &Registry) {
    match (registry.health().file, registry.reload()) {
        (None, _) => info!(target: "steadfast", "no policy file to reload"),
        (Some(file), Ok(None)) => info!(target: "steadfast", file, "policy file unchanged"),
        (Some(_), _) => {}
    }
}

fn listen(kind: SignalKind) -> Result<Signal, CliError> {
    signal(kind).map_err(|why| CliError::failed(format!("cannot install signal handlers: {why}")))
}
