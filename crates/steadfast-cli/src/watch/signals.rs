//! The signals that end it: somebody typed Ctrl-C, or the terminal or the system goes away.

use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::problem::Problem;

pub(super) struct Signals {
    interrupt: Signal,
    terminate: Signal,
    hang_up: Signal,
}

impl Signals {
    pub(super) fn listen() -> Result<Self, Problem> {
        let listen = |kind| {
            let cannot = |why| Problem::failed(format!("cannot listen to signals: {why}"));
            signal(kind).map_err(cannot)
        };
        Ok(Self {
            interrupt: listen(SignalKind::interrupt())?,
            terminate: listen(SignalKind::terminate())?,
            hang_up: listen(SignalKind::hangup())?,
        })
    }

    /// Waits for one of them.
    pub(super) async fn stop(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
            _ = self.hang_up.recv() => {}
        }
    }
}
