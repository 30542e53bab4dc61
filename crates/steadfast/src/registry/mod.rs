//! One place for a system's policies, kept current while it runs.
//!
//! A team points every subsystem at one file and changes it while everything runs.
//! So what a subsystem holds is not a policy but the name of one: the [`Registry`]
//! finds it in the version of the file that is in force, and a session keeps what it
//! found to its end. Versions are swapped whole, so nobody sees half of one, and
//! looking one up takes no lock.
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
mod health;
mod installed;
mod loader;
mod reload;
mod shutdown;
mod versions;
mod watch;

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
use reload::Reloader;
use shutdown::Stopping;
use versions::Versions;
use watch::Watch;

/// The policies of a file, found by name, reloaded when it changes. Clones are the same.
#[derive(Clone)]
pub struct Registry(Arc<Inner>);

struct Inner {
    versions: Versions,
    sessions: Sessions,
    stopping: Stopping,
    reloader: Reloader,
    /// Ends with the last clone.
    watch: Option<Watch>,
}

/// An operation that is tried under a policy found by name. It is what
/// [`retry`](fn@crate::retry) returns, and takes all that can be said of a call.
pub type Run<'n, Op, M> = Retry<
    Arc<Policy>,
    Op,
    M,
    Judges,
    (DefaultInstrument, LazyTracked),
    Cancellable<Named<'n, Real, true>>,
>;

impl Registry {
    /// Reads a file, lays the environment over it, and watches it.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, Problems> {
        Loader::file(path).load()
    }

    /// The policies in force. They do not change: the next version is another value.
    #[must_use]
    pub fn policies(&self) -> Arc<Policies> {
        self.0.versions.current()
    }

    /// The policy in force for a name: a policy's id, or `subsystem.operation.case` (F6).
    #[must_use]
    #[inline]
    pub fn policy(&self, name: &str) -> Arc<Policy> {
        self.0.versions.look(|policies| Arc::clone(policies.find(name)))
    }

    /// Where each value of the policy for a name came from.
    #[must_use]
    pub fn explain(&self, name: &str) -> Explanation {
        self.0.versions.current().explain(name)
    }

    /// Tries an operation under the policy for a name. The session goes by that name, can be
    /// [listed](Self::sessions) and [cancelled](Self::cancel), and ends under the policy that it
    /// began with, whatever becomes of the file.
    #[inline]
    pub fn run<'n, M, Op: Callable<M>>(&self, name: &'n str, operation: Op) -> Run<'n, Op, M> {
        let policy = self.policy(name);
        let cancelled = self.0.stopping.has_begun().then(already_cancelled);
        Retry::holding(policy, name, self.0.sessions.clone(), cancelled, operation)
    }

    /// The sessions under way, oldest first.
    #[must_use]
    pub fn sessions(&self) -> Vec<ActiveSession> {
        self.0.sessions.list()
    }

    /// Calls a session off; says whether it was under way.
    pub fn cancel(&self, session: SessionId) -> bool {
        self.0.sessions.cancel(session)
    }
}

/// For sessions that are over before they begin.
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
