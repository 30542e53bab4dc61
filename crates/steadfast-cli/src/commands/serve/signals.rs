//! Stop and reload signals of the server.
//!
//! The first stop signal starts a graceful shutdown. A second one exits at once; running tasks are
//! reclaimed when their leases expire. While draining, the second signal only ends the drain, and
//! the third one exits.

use std::future::{Future, pending};
use std::time::Duration;

use nix::sys::signal::Signal;
use sd_notify::NotifyState;
use steadfast::registry::Registry;
use tokio::sync::oneshot;
use tokio::task::AbortHandle;
use tokio::time::timeout;
use tracing::{debug, info, warn};

use crate::error::CliError;
use crate::signals::{Signals, listen_error};

pub(super) const STOP_SIGNALS: [Signal; 2] = [Signal::SIGINT, Signal::SIGTERM];

/// Handles the stop signals, for a server with this drain period.
pub(super) fn stop_signals(
    mut signals: Signals,
    drain: Duration,
) -> StopSignals<impl Future<Output = ()>, impl Future<Output = ()>> {
    let ((stop_sender, stop), (hurry_sender, hurry)) = (oneshot::channel(), oneshot::channel());
    tokio::spawn(async move {
        let signal = signals.next().await as i32;
        notify_systemd(NotifyState::Stopping);
        // The receiver is gone if the server has stopped by itself.
        let _ = stop_sender.send(());
        if drain.is_zero() {
            info!(target: "steadfast", signal, "shutting down: waiting for running tasks");
        } else {
            info!(target: "steadfast", signal, ?drain, "draining: still serving, reporting not ready");
            // Until another signal or the end of the drain period.
            let _ = timeout(drain, signals.next()).await;
            let _ = hurry_sender.send(());
            info!(target: "steadfast", "drained, shutting down: waiting for running tasks");
        }
        let signal = signals.next().await as i32;
        warn!(target: "steadfast", signal, "exiting at once: running tasks are reclaimed when their leases expire");
        std::process::exit(128 + signal);
    });
    StopSignals { stop: received(stop), hurry: received(hurry) }
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
    let mut hang_up = Signals::listen([Signal::SIGHUP]).map_err(listen_error)?;
    let reloading = tokio::spawn(async move {
        loop {
            hang_up.next().await;
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

/// Notifies systemd of readiness and shutdown (`Type=notify`).
pub(super) fn notify_systemd(state: NotifyState<'_>) {
    if let Err(error) = sd_notify::notify(&[state]) {
        debug!(target: "steadfast", %error, "cannot notify systemd");
    }
}
