//! Readiness notifications for systemd (`Type=notify`).

use sd_notify::NotifyState;
use tracing::debug;

/// The server is ready.
pub(super) fn ready() {
    notify(NotifyState::Ready);
}

/// The server is shutting down.
pub(super) fn stopping() {
    notify(NotifyState::Stopping);
}

fn notify(state: NotifyState<'_>) {
    if let Err(error) = sd_notify::notify(&[state]) {
        debug!(target: "steadfast", %error, "cannot notify systemd");
    }
}
