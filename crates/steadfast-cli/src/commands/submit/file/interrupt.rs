//! Ctrl-C, and whoever else asks for an end.
//!
//! The batch under way is let through, because then it is known how far it went. If that takes
//! long the store is probably away, and it is not waited for.

use std::time::Duration;

use steadfast::drive::CancelHandle;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

/// How long the batch under way may take.
const INTERRUPT_GRACE: Duration = Duration::from_secs(2);

/// Hears that the end was asked for.
#[derive(Clone, Debug)]
pub(super) struct Interrupt {
    asked: watch::Receiver<bool>,
    /// Ends what is under way.
    pub(super) handle: CancelHandle,
}

impl Interrupt {
    /// Listens from now on.
    pub(super) fn listen() -> Self {
        let (ask, asked) = watch::channel(false);
        let handle = CancelHandle::new();
        let cancel = handle.clone();
        tokio::spawn(async move {
            // Who cannot be asked is ended the hard way, which is no worse.
            let signals = [SignalKind::interrupt(), SignalKind::terminate()].map(signal);
            let [Ok(mut interrupt), Ok(mut terminate)] = signals else {
                return std::future::pending().await;
            };
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
            }
            ask.send_replace(true);
            tokio::time::sleep(INTERRUPT_GRACE).await;
            cancel.cancel();
            // Whoever still listens must not hear that nobody will ask.
            std::future::pending::<()>().await;
        });
        Self { asked, handle }
    }

    /// Waits until it is asked for.
    pub(super) async fn asked(&self) {
        let mut asked = self.asked.clone();
        if asked.wait_for(|asked| *asked).await.is_err() {
            std::future::pending().await
        }
    }
}
