//! Terminal job control.
//!
//! A terminal delivers input and Ctrl-C to one process group. A command in this program's group
//! shares the terminal. A command with its own group (see `process_group.rs`) is stopped when it
//! reads from the terminal, for example for a password; then it becomes the foreground group, as
//! in a shell. When it is stopped for another reason (Ctrl-Z), this program stops as well, so
//! that the shell regains control.

use std::fs::File;
use std::io::{self, IsTerminal};

use nix::libc;
use nix::sys::signal::{SigSet, Signal, killpg, raise};
use nix::sys::termios::{SetArg, Termios, tcgetattr, tcsetattr};
use nix::unistd::{Pid, getpgrp, tcgetpgrp, tcsetpgrp};

/// The controlling terminal.
pub(super) struct Foreground {
    terminal: File,
    own: Pid,
    /// Its settings before the command changed them.
    settings: Option<libc::termios>,
}

pub(super) fn is_in_use() -> bool {
    io::stdin().is_terminal() || io::stdout().is_terminal() || io::stderr().is_terminal()
}

impl Foreground {
    /// Returns `None` without a terminal.
    pub(super) fn of_terminal() -> Option<Self> {
        let terminal = File::options().read(true).write(true).open("/dev/tty").ok()?;
        let settings = tcgetattr(&terminal).ok().map(libc::termios::from);
        Some(Self { terminal, own: getpgrp(), settings })
    }

    /// Whether this program is in the foreground.
    pub(super) fn is_ours(&self) -> bool {
        self.is_with(self.own)
    }

    fn is_with(&self, group: Pid) -> bool {
        tcgetpgrp(&self.terminal) == Ok(group)
    }

    /// Handles a stopped command with its own group. Returns when it continues.
    pub(super) fn stopped(&self, group: Pid, by: Signal) {
        let asks = matches!(by, Signal::SIGTTIN | Signal::SIGTTOU);
        let has_it = self.is_with(group);
        if asks && (has_it || self.is_ours()) {
            return self.lend(group);
        }
        self.take_back(group);
        // Stops this program until the shell continues it, or returns at once without a shell.
        let _ = raise(Signal::SIGTSTP);
        if (asks || has_it) && self.is_ours() {
            return self.lend(group);
        }
        let _ = killpg(group, Signal::SIGCONT);
    }

    /// Handles the exit of a command. If it was killed, for example at a password prompt, the terminal
    /// settings are restored.
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

    /// Returns to the foreground, unless another job has taken it.
    fn take_back(&self, group: Pid) {
        if self.is_with(group) {
            self.give(self.own);
        }
    }

    /// Sets the foreground group. SIGTTOU is blocked, which would stop a background process here.
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
