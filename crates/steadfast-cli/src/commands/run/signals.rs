//! Signals, which are the command's.
//!
//! Those that end a program end the retrying as well, whatever the command makes of them. A
//! signal that was ignored when this program was started (`nohup`) stays ignored.

use std::fs;
use std::future::poll_fn;
use std::io;
use std::task::Poll;

use nix::sys::signal::Signal;
use tokio::signal::unix::{self, SignalKind};

/// Those that end this program, once the command has heard them.
const ENDING: [Signal; 4] = [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP, Signal::SIGQUIT];
/// Those that the command alone knows the meaning of.
const OTHERS: [Signal; 3] = [Signal::SIGUSR1, Signal::SIGUSR2, Signal::SIGWINCH];

/// Whether a signal ends this program.
pub(super) fn is_ending(signal: Signal) -> bool {
    ENDING.contains(&signal)
}

/// The signals that come.
pub(super) struct Signals(Vec<(Signal, unix::Signal)>);

impl Signals {
    pub(super) fn listen() -> io::Result<Self> {
        let ignored = Ignored::now();
        let wanted = ENDING.into_iter().chain(OTHERS).filter(|signal| !ignored.has(*signal));
        let heard = |signal| Ok((signal, unix::signal(SignalKind::from_raw(signal as i32))?));
        wanted.map(heard).collect::<io::Result<_>>().map(Self)
    }

    /// The next one.
    pub(super) async fn next(&mut self) -> Signal {
        poll_fn(|context| {
            let mut come = self.0.iter_mut().filter_map(|(signal, stream)| {
                stream.poll_recv(context).is_ready().then_some(*signal)
            });
            come.next().map_or(Poll::Pending, Poll::Ready)
        })
        .await
    }
}

/// The signals that this process ignores, a bit for each.
struct Ignored(u64);

impl Ignored {
    /// None of them where the system does not tell.
    fn now() -> Self {
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        Self(Self::read(&status).unwrap_or_default())
    }

    fn read(status: &str) -> Option<u64> {
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"))?;
        u64::from_str_radix(mask.trim(), 16).ok()
    }

    fn has(&self, signal: Signal) -> bool {
        self.0 >> (signal as i32 - 1) & 1 == 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ignored_signals_are_read_from_the_process_status() {
        let ignored =
            Ignored::read("Name:\tit\nSigBlk:\t0000000000000002\nSigIgn:\t0000000000001001\n");
        let ignored = Ignored(ignored.unwrap());
        assert!(ignored.has(Signal::SIGHUP) && ignored.has(Signal::SIGPIPE));
        assert!(!ignored.has(Signal::SIGINT));
        assert!(Ignored::read("no such line").is_none());
    }
}
