//! Signals received during a run.
//!
//! Stop signals also end the retries. A signal ignored at start (`nohup`) stays ignored.

use std::fs;
use std::io;

use nix::sys::signal::Signal;

use crate::signals::Signals;

/// Signals that end the run, after they were forwarded to the command.
const STOP_SIGNALS: [Signal; 4] =
    [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP, Signal::SIGQUIT];
const FORWARDED_SIGNALS: [Signal; 3] = [Signal::SIGUSR1, Signal::SIGUSR2, Signal::SIGWINCH];

pub(super) fn is_ending(signal: Signal) -> bool {
    STOP_SIGNALS.contains(&signal)
}

pub(super) fn listen() -> io::Result<Signals> {
    let ignored = Ignored::now();
    let wanted = STOP_SIGNALS.into_iter().chain(FORWARDED_SIGNALS);
    Signals::listen(wanted.filter(|signal| !ignored.has(*signal)))
}

/// The signals ignored by this process, as a bit mask.
struct Ignored(u64);

impl Ignored {
    /// Empty where the system has no /proc.
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
    fn ignored_signals_are_parsed_from_proc_status() {
        let ignored =
            Ignored::read("Name:\tit\nSigBlk:\t0000000000000002\nSigIgn:\t0000000000001001\n");
        let ignored = Ignored(ignored.unwrap());
        assert!(ignored.has(Signal::SIGHUP) && ignored.has(Signal::SIGPIPE));
        assert!(!ignored.has(Signal::SIGINT));
        assert!(Ignored::read("no such line").is_none());
    }
}
