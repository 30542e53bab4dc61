//! Sessions that sleep between two attempts, for memory measurements.

use std::time::Duration;

/// The sleep between attempts: longer than any measurement.
pub const HOUR: Duration = Duration::from_secs(3600);

/// A kind of session that fails at once and then sleeps for an hour.
pub struct Sleeper {
    /// The name of the library.
    pub name: &'static str,
    /// The size of the session's future, in bytes.
    pub size: usize,
    /// Spawns one session on the current runtime.
    pub spawn: Box<dyn Fn()>,
}

impl Sleeper {
    /// A sleeper that creates its sessions with `session`.
    pub fn new<F>(name: &'static str, session: impl Fn() -> F + 'static) -> Self
    where
        F: Future<Output: Send> + Send + 'static,
    {
        let spawn = move || drop(tokio::spawn(session()));
        Sleeper { name, size: size_of::<F>(), spawn: Box::new(spawn) }
    }
}
