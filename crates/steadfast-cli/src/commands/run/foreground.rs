//! The terminal, and who has it.
//!
//! A terminal listens to one process group alone, and sends Ctrl-C to it. A command that shares
//! our group shares the terminal as well. One with a group of its own (see `group.rs`) would be
//! stopped for good as soon as it asks for a password; so when it is stopped for that, it is lent
//! the terminal, as a shell does. And when somebody else stops it (Ctrl-Z), this program stops as
//! well, so that the shell has its turn.

use std::fs::File;
use std::io::{self, IsTerminal};

use nix::libc;
use nix::sys::signal::{SigSet, Signal, killpg, raise};
use nix::sys::termios::{SetArg, Termios, tcgetattr, tcsetattr};
use nix::unistd::{Pid, getpgrp, tcgetpgrp, tcsetpgrp};

/// The terminal that this program was started from.
pub(super) struct Foreground {
    terminal: File,
    own: Pid,
    /// How it was set before anybody changed it.
    settings: Option<libc::termios>,
}

/// Whether somebody sees or hears us through a terminal.
pub(super) fn is_in_use() -> bool {
    io::stdin().is_terminal() || io::stdout().is_terminal() || io::stderr().is_terminal()
}

impl Foreground {
    /// None if there is no terminal.
    pub(super) fn of_terminal() -> Option<Self> {
        let terminal = File::options().read(true).write(true).open("/dev/tty").ok()?;
        let settings = tcgetattr(&terminal).ok().map(libc::termios::from);
        Some(Self { terminal, own: getpgrp(), settings })
    }

    /// Whether this program has it, and not the command or another job.
    pub(super) fn is_ours(&self) -> bool {
        self.is_with(self.own)
    }

    fn is_with(&self, group: Pid) -> bool {
        tcgetpgrp(&self.terminal) == Ok(group)
    }

    /// A command with a group of its own was stopped. Returns when it goes on.
    pub(super) fn stopped(&self, group: Pid, by: Signal) {
        let asks = matches!(by, Signal::SIGTTIN | Signal::SIGTTOU);
        let has_it = self.is_with(group);
        if asks && (has_it || self.is_ours()) {
            return self.lend(group);
        }
        self.take_back(group);
        // We stop here until the shell lets us go on, or not at all if there is none to do so.
        let _ = raise(Signal::SIGTSTP);
        if (asks || has_it) && self.is_ours() {
            return self.lend(group);
        }
        let _ = killpg(group, Signal::SIGCONT);
    }

    /// A command has ended. One that was killed in the middle of asking for a password has left
    /// the terminal as it needed it.
    pub(super) fn ended(&self, group: Pid, by_itself: bool) {
        self.take_back(group);
        if let Some(settings) = self.settings.filter(|_| !by_itself && self.is_ours()) {
            let _ = tcsetattr(&self.terminal, SetArg::TCSADRAIN, &Termios::from(settings));
        }
    }

    fn lend(&self, group: Pid) {
        self.give(group);
        let _ = killpg(group, Signal::SIGCONT);
    }

    /// Unless another job has it by now.
    fn take_back(&self, group: Pid) {
        if self.is_with(group) {
            self.give(self.own);
        }
    }

    /// Who gives the terminal away from the background is asked to stop, unless it will not
    /// listen.
    fn give(&self, group: Pid) {
        let mut to_stop = SigSet::empty();
        to_stop.add(Signal::SIGTTOU);
        let listens = SigSet::thread_get_mask().is_ok_and(|mask| !mask.contains(Signal::SIGTTOU));
        let _ = to_stop.thread_block();
        let _ = tcsetpgrp(&self.terminal, group);
        if listens {
            let _ = to_stop.thread_unblock();
        }
    }
}
