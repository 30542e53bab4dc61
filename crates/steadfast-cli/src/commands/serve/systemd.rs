//! Readiness notifications for systemd (`Type=notify`).

use sd_notify::NotifyState;
use tracing::debug;

pub(super) fn ready() {
    notify(NotifyState::Ready);
}

pub(super) fn stopping() {
    notify(NotifyState::Stopping);
}

fn notify(state: NotifyState<'_>) {
    if let Err(error) = sd_notify::notify(&[state]) {
        debug!(target: "steadfast", %error, "cannot notify systemd");
    }
}
