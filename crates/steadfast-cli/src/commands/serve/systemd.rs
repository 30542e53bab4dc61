//! Telling whoever started the server how it is, if they want to know: systemd waits for it under
//! `Type=notify`. Nobody else notices.

use sd_notify::NotifyState;
use tracing::debug;

/// It can be asked.
pub(super) fn ready() {
    notify(NotifyState::Ready);
}

/// It was told to stop, and what runs may finish.
pub(super) fn stopping() {
    notify(NotifyState::Stopping);
}

fn notify(state: NotifyState<'_>) {
    if let Err(error) = sd_notify::notify(&[state]) {
        debug!(target: "steadfast", %error, "the supervisor cannot be told");
    }
}
