//! The command and its attempts.

use std::cell::{Cell, RefCell};
use std::ffi::OsString;
use std::io;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use nix::sys::signal::Signal;
use steadfast::Attempt;
use tokio::sync::watch;
use tokio::time::sleep;

use super::attempt_status::{AttemptStatus, CommandFailure};
use super::foreground::Foreground;
use super::input::Input;
use super::output_filter::OutputFilter;
use super::pattern::Patterns;
use super::process_group::{Group, Membership};

/// Time for a signal that killed the command to reach this program as well.
const SIGNAL_SETTLE_TIME: Duration = Duration::from_millis(1);

pub(super) struct Program<'c> {
    pub(super) command: &'c [OsString],
    pub(super) input: Input,
    pub(super) patterns: Option<&'c Patterns>,
    pub(super) membership: Membership,
    pub(super) foreground: Option<Arc<Foreground>>,
    /// Time between SIGTERM and SIGKILL.
    pub(super) grace: Duration,
    pub(super) state: State,
}

#[derive(Default)]
pub(super) struct State {
    running: RefCell<Option<Group>>,
    /// Closed when a timed out attempt has exited.
    terminating: RefCell<Option<watch::Receiver<()>>>,
    last: Cell<Option<AttemptStatus>>,
    matched: Cell<Option<usize>>,
    interrupted: Cell<Option<Signal>>,
    key: RefCell<Option<String>>,
}

impl Program<'_> {
    pub(super) fn name(&self) -> String {
        self.command.first().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
    }

    pub(super) fn last(&self) -> Option<AttemptStatus> {
        self.state.last.get()
    }

    /// The pattern that the last attempt's output matched.
    pub(super) fn matched(&self) -> Option<String> {
        self.patterns?.text(self.state.matched.get()?).cloned()
    }

    pub(super) fn is_running(&self) -> bool {
        self.state.running.borrow().is_some()
    }

    /// Forwards a signal to the command, if it is running.
    pub(super) fn forward(&self, signal: Signal) {
        if let Some(running) = &*self.state.running.borrow() {
            running.forward(signal);
        }
    }

    pub(super) fn key(&self) -> Option<String> {
        self.state.key.borrow().clone()
    }

    /// Records a stop signal: no further attempts follow.
    pub(super) fn interrupt(&self, by: Signal) {
        self.state.interrupted.set(Some(by));
    }

    pub(super) fn interrupted(&self) -> Option<Signal> {
        self.state.interrupted.get()
    }

    /// Runs one attempt. Dropping the future terminates it.
    pub(super) async fn attempt(&self, attempt: &Attempt) -> Result<(), CommandFailure> {
        self.exited().await;
        self.state.matched.set(None);
        let status = match self.start(attempt) {
            Ok((group, filter)) => {
                self.state.running.replace(Some(group.clone()));
                let _guard = AttemptGuard(self);
                let status = group.ended().await;
                if status != AttemptStatus::SUCCESS {
                    sleep(SIGNAL_SETTLE_TIME).await;
                }
                self.state.matched.set(filter.matched().await);
                self.state.running.take();
                status
            }
            Err(why) => AttemptStatus::not_started(&why),
        };
        self.state.last.set(Some(status));
        if status == AttemptStatus::SUCCESS {
            return Ok(());
        }
        Err(CommandFailure { status, matched: self.matched() })
    }

    /// Whether processes of a timed out attempt are still running.
    pub(super) fn is_terminating(&self) -> bool {
        self.state
            .terminating
            .borrow()
            .as_ref()
            .is_some_and(|terminating| terminating.has_changed().is_ok())
    }

    /// Waits until all processes of a timed out attempt have exited.
    pub(super) fn exited(&self) -> impl Future<Output = ()> + Send + use<> {
        let terminating = self.state.terminating.borrow().clone();
        async move {
            if let Some(mut terminating) = terminating {
                // Nothing is sent; the channel is closed.
                let _ = terminating.changed().await;
            }
        }
    }

    fn start(&self, attempt: &Attempt) -> io::Result<(Group, OutputFilter)> {
        let (name, arguments) = self.command.split_first().ok_or(io::ErrorKind::NotFound)?;
        let mut command = Command::new(name);
        self.membership.choose(&mut command);
        command.args(arguments).stdin(self.input.for_attempt()?);
        command.env("STEADFAST_ATTEMPT", attempt.number().to_string());
        command.env("STEADFAST_KEY", attempt.key().to_string());
        self.state.key.replace(Some(attempt.key().to_string()));
        if self.patterns.is_some() {
            command.stdout(Stdio::piped()).stderr(Stdio::piped());
        }
        let mut child = command.spawn()?;
        let group = Group::of(&child, self.membership, self.foreground.clone());
        Ok((group, OutputFilter::of(&mut child, self.patterns)))
    }

    fn terminate(&self, group: Group) {
        self.state.last.set(Some(AttemptStatus::TimedOut));
        self.state.matched.set(None);
        let (exited, terminating) = watch::channel(());
        self.state.terminating.replace(Some(terminating));
        let grace = self.grace;
        tokio::spawn(async move {
            group.finish(grace).await;
            drop(exited);
        });
    }
}

/// Terminates an attempt whose future was dropped.
struct AttemptGuard<'p, 'c>(&'p Program<'c>);

impl Drop for AttemptGuard<'_, '_> {
    fn drop(&mut self) {
        if let Some(group) = self.0.state.running.take() {
            self.0.terminate(group);
        }
    }
}
