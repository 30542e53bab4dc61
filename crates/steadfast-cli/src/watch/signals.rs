//! Signals that end `--watch`.

use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::error::CliError;

pub(super) struct Signals {
    interrupt: Signal,
    terminate: Signal,
    hang_up: Signal,
}

impl Signals {
    pub(super) fn listen() -> Result<Self, CliError> {
        let listen = |kind| {
            let cannot = |why| CliError::failed(format!("cannot install signal handlers: {why}"));
            signal(kind).map_err(cannot)
        };
        Ok(Self {
            interrupt: listen(SignalKind::interrupt())?,
            terminate: listen(SignalKind::terminate())?,
            hang_up: listen(SignalKind::hangup())?,
        })
    }

    /// Waits for one of the signals.
    pub(super) async fn stop(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
            _ = self.hang_up.recv() => {}
        }
    }
}
