//! The registry of policies, reloaded from a file at run time.
//!
//! All subsystems of an application share one file, which can change while they run. A subsystem
//! therefore holds the name of a policy: the [`Registry`] looks it up in the active version of the
//! file, and a session uses that policy to its end. Versions are replaced atomically, and a lookup
//! takes no lock.
//!
//! ```
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("steadfast.yaml");
//! # std::fs::write(&path, r#"{version: "1.1.0", policies: {saving: {max_attempts: 5, base_delay: 0}},
//! #   subsystem_mappings: {browser: {state: {timeout: saving}}}}"#)?;
//! use steadfast::registry::Registry;
//!
//! let steadfast = Registry::load(&path)?; // watched, layered, explained
//! let mut saved = 0;
//! steadfast.run("browser.state.timeout", || {
//!     saved += 1;
//!     if saved < 3 { Err(std::io::ErrorKind::TimedOut.into()) } else { Ok::<_, std::io::Error>(()) }
//! })
//! .call()?;
//! assert_eq!(saved, 3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod change;
mod current;
pub(crate) mod file_watcher;
mod global;
mod health;
mod loader;
mod reload;
mod shutdown;

use std::fmt;
use std::path::Path;
use std::sync::Arc;

pub use change::{Change, Changed, Outcome};
pub use health::Health;
pub use loader::Loader;
pub use shutdown::Stopped;

use crate::Retry;
use crate::drive::{Callable, CancelHandle, Cancellable, Judges, Named, Real};
use crate::file::{Explanation, Policies, Problems};
use crate::observe::{ActiveSession, DefaultInstrument, LazyTracked, SessionId, Sessions};
use crate::policy::Policy;
use current::CurrentPolicies;
use file_watcher::FileWatcher;
use reload::Reloader;
use shutdown::ShutdownFlag;

/// The policies of a file, by name, reloaded when the file changes. Clones share them.
#[derive(Clone)]
pub struct Registry(Arc<Inner>);

struct Inner {
    current: CurrentPolicies,
    sessions: Sessions,
    stopping: ShutdownFlag,
    reloader: Reloader,
    /// Stops with the last clone.
    watcher: Option<FileWatcher>,
}

/// An operation with retries under a policy found by name: the type that
/// [`retry`](fn@crate::retry) returns.
pub type Run<'n, Operation, Shape> = Retry<
    Arc<Policy>,
    Operation,
    Shape,
    Judges,
    (DefaultInstrument, LazyTracked),
    Cancellable<Named<'n, Real, true>>,
>;

impl Registry {
    /// Reads a file, applies the environment variables, and watches it.
    ///
    /// # Errors
    /// All problems of the file.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, Problems> {
        Loader::file(path).load()
    }

    /// The active policies. They are immutable: the next version is another value.
    #[must_use]
    pub fn policies(&self) -> Arc<Policies> {
        self.0.current.load()
    }

    /// The active policy for a name: a policy's id, or `subsystem.operation.case` (F6).
    #[must_use]
    #[inline]
    pub fn policy(&self, name: &str) -> Arc<Policy> {
        self.0.current.with(|policies| Arc::clone(policies.find(name)))
    }

    /// The values of the policy for a name, with their origins.
    #[must_use]
    pub fn explain(&self, name: &str) -> Explanation {
        self.0.current.load().explain(name)
    }

    /// Runs an operation with retries under the policy for a name. The session has that name, can be
    /// [listed](Self::sessions) and [cancelled](Self::cancel), and keeps its policy if the file
    /// changes.
    #[inline]
    pub fn run<'n, Shape, Operation: Callable<Shape>>(
        &self,
        name: &'n str,
        operation: Operation,
    ) -> Run<'n, Operation, Shape> {
        let policy = self.policy(name);
        let cancelled = self.0.stopping.is_set().then(already_cancelled);
        Retry::holding(policy, name, self.0.sessions.clone(), cancelled, operation)
    }

    /// The sessions in progress, oldest first.
    #[must_use]
    pub fn sessions(&self) -> Vec<ActiveSession> {
        self.0.sessions.list()
    }

    /// Cancels a session. Returns whether it was in progress.
    pub fn cancel(&self, session: SessionId) -> bool {
        self.0.sessions.cancel(session)
    }
}

/// The handle of a session that starts after a shutdown.
#[cold]
fn already_cancelled() -> CancelHandle {
    let handle = CancelHandle::new();
    handle.cancel();
    handle
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Registry").field("health", &self.health()).finish_non_exhaustive()
    }
}
