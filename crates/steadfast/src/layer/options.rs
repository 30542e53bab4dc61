//! The settings that the sessions of a layer have in common.

use std::fmt;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;

use crate::drive::{EventKind, Instrument, SessionEvent};
use crate::guard::shared::Guards;
use crate::{Class, Fault, Policy};

type Judge = Arc<dyn Fn(&Fault) -> Option<Class> + Send + Sync>;
type RetryHook = Arc<dyn Fn(&SessionEvent<'_>) + Send + Sync>;

/// The name, guards, judge and hooks of a layer.
#[derive(Clone, Default)]
pub(super) struct SessionOptions {
    pub(super) name: Option<Arc<str>>,
    pub(super) guards: Guards,
    pub(super) judge: Option<Judge>,
    pub(super) retry_hooks: Vec<RetryHook>,
}

impl SessionOptions {
    /// The operation's name in logs, events and metrics.
    pub(super) fn name<'s>(&'s self, policy: &'s Policy) -> &'s str {
        self.name.as_deref().or(policy.id()).unwrap_or("operation")
    }

    /// The class that the caller's code gives a fault, if it does.
    pub(super) fn class(&self, fault: &Fault) -> Option<Class> {
        self.judge.as_ref().and_then(|judge| judge(fault))
    }

    /// The hooks of one session.
    pub(super) fn hooks(&self) -> RetryHooks<'_> {
        RetryHooks(&self.retry_hooks)
    }
}

impl fmt::Debug for SessionOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SessionOptions")
            .field("name", &self.name)
            .field("guards", &self.guards)
            .finish_non_exhaustive()
    }
}

/// The functions to call before each retry.
pub(super) struct RetryHooks<'s>(&'s [RetryHook]);

impl Instrument for RetryHooks<'_> {
    fn observes(&self) -> bool {
        !self.0.is_empty()
    }

    fn observe(&mut self, event: &SessionEvent<'_>) {
        if !matches!(event.kind, EventKind::Retrying { .. }) {
            return;
        }
        for hook in self.0 {
            // The panic hook has reported the panic already (I9).
            let _ = panic::catch_unwind(AssertUnwindSafe(|| hook(event)));
        }
    }
}
