//! Interruption of a submission by a signal.
//!
//! The batch in flight may finish, so that the progress is known. If that takes long, the store is
//! probably unreachable, and the batch is cancelled.

use std::time::Duration;

use nix::sys::signal::Signal;
use steadfast::drive::CancelHandle;
use tokio::sync::watch;

use crate::signals::Signals;

const INTERRUPT_GRACE: Duration = Duration::from_secs(2);

#[derive(Clone, Debug)]
pub(super) struct Interrupt {
    requested: watch::Receiver<bool>,
    /// Cancels the batch in flight.
    pub(super) handle: CancelHandle,
}

impl Interrupt {
    pub(super) fn listen() -> Self {
        let (sender, requested) = watch::channel(false);
        let handle = CancelHandle::new();
        let cancel = handle.clone();
        tokio::spawn(async move {
            // Without handlers a signal kills the process, which --resume covers.
            if let Ok(mut signals) = Signals::listen([Signal::SIGINT, Signal::SIGTERM]) {
                signals.next().await;
                sender.send_replace(true);
                tokio::time::sleep(INTERRUPT_GRACE).await;
                cancel.cancel();
            }
            // Keep the sender alive for remaining receivers.
            std::future::pending::<()>().await;
        });
        Self { requested, handle }
    }

    pub(super) async fn requested(&self) {
        let mut requested = self.requested.clone();
        if requested.wait_for(|requested| *requested).await.is_err() {
            std::future::pending().await
        }
    }
}
