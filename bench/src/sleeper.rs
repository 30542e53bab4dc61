//! A session that sleeps between two attempts, for memory measurements.

use std::time::Duration;

/// How long a sleeper sleeps: longer than any measurement.
pub const HOUR: Duration = Duration::from_secs(3600);

/// A session that fails at once and then sleeps for an hour.
pub struct Sleeper {
    /// Whose session it is.
    pub name: &'static str,
    /// What the session's future takes, in bytes.
    pub size: usize,
    /// Starts one more on the current runtime.
    pub spawn: Box<dyn Fn()>,
}

impl Sleeper {
    /// A sleeper whose sessions are made by `session`.
    pub fn new<F>(name: &'static str, session: impl Fn() -> F + 'static) -> Self
    where
        F: Future<Output: Send> + Send + 'static,
    {
        let spawn = move || drop(tokio::spawn(session()));
        Sleeper { name, size: size_of::<F>(), spawn: Box::new(spawn) }
    }
}
