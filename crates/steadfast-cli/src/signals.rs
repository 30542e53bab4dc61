//! Signals received by this program.

use std::future::poll_fn;
use std::io;
use std::task::Poll;

use nix::sys::signal::Signal;
use tokio::signal::unix::{self, SignalKind};

use crate::error::CliError;

pub(crate) struct Signals(Vec<(Signal, unix::Signal)>);

impl Signals {
    pub(crate) fn listen(signals: impl IntoIterator<Item = Signal>) -> io::Result<Self> {
        let listen = |signal| Ok((signal, unix::signal(SignalKind::from_raw(signal as i32))?));
        signals.into_iter().map(listen).collect::<io::Result<_>>().map(Self)
    }

    pub(crate) async fn next(&mut self) -> Signal {
        poll_fn(|context| {
            let mut received = self.0.iter_mut().filter_map(|(signal, stream)| {
                stream.poll_recv(context).is_ready().then_some(*signal)
            });
            received.next().map_or(Poll::Pending, Poll::Ready)
        })
        .await
    }
}

pub(crate) fn listen_error(why: io::Error) -> CliError {
    CliError::failed(format!("cannot install signal handlers: {why}"))
}
