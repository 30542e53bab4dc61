//! Built-in policies (P6).

use std::time::Duration;

use super::{Draft, Jitter, Policy};

/// The names of the built-in policies.
pub const PRESETS: [&str; 4] = ["sql", "patient", "workflow", "grpc"];

/// The built-in policies as drafts, to use unchanged or as a base. They have no id.
///
/// ```
/// use steadfast::Policy;
///
/// static ORDERS: Policy = Policy::sql().max_attempts(6).constant();
/// assert_eq!(ORDERS.max_attempts(), 6);
/// ```
impl Policy {
    /// For database calls: 500 ms, 1 s, 2 s, each up to 100 ms longer, 30 s in all.
    pub const fn sql() -> Draft {
        Self::exponential(Duration::from_millis(500))
            .max_retries(3)
            .jitter(Jitter::Additive(Duration::from_millis(100)))
            .max_duration(Duration::from_secs(30))
    }

    /// For background runs: 60 s doubling to an hour, 8 retries.
    pub const fn patient() -> Draft {
        Self::exponential(Duration::from_secs(60))
            .max_retries(8)
            .max_delay(Duration::from_secs(3600))
    }

    /// For steps of a workflow: 60 s doubling to an hour, 5 retries.
    pub const fn workflow() -> Draft {
        Self::exponential(Duration::from_secs(60))
            .max_retries(5)
            .max_delay(Duration::from_secs(3600))
    }

    /// For remote calls: 1 s growing by 1.6 to 120 s, equal jitter.
    pub const fn grpc() -> Draft {
        Self::exponential(Duration::from_secs(1))
            .multiplier(1.6)
            .max_delay(Duration::from_secs(120))
            .jitter(Jitter::Equal)
    }
}

impl Draft {
    /// A built-in policy by its name, which becomes its id.
    ///
    /// | name | for |
    /// |---|---|
    /// | `sql` | database calls: 500 ms, 1 s, 2 s, each up to 100 ms longer, 30 s in all |
    /// | `patient` | background runs: 60 s doubling to an hour, 8 retries |
    /// | `workflow` | steps of a workflow: 60 s doubling to an hour, 5 retries |
    /// | `grpc` | remote calls: 1 s growing by 1.6 to 120 s, equal jitter |
    ///
    /// ```
    /// use steadfast::policy::Draft;
    ///
    /// let policy = Draft::preset("grpc").unwrap().max_attempts(6).build()?;
    /// assert_eq!(policy.id(), Some("grpc"));
    /// # Ok::<(), steadfast::policy::PolicyError>(())
    /// ```
    #[must_use]
    pub fn preset(name: &str) -> Option<Self> {
        PRESETS.contains(&name).then(|| Self::constant_preset(name).id(name))
    }

    /// The same without its id, which a constant cannot hold. Empty for an unknown name.
    #[doc(hidden)]
    pub const fn constant_preset(name: &str) -> Self {
        match name.as_bytes() {
            b"sql" => Policy::sql(),
            b"patient" => Policy::patient(),
            b"workflow" => Policy::workflow(),
            b"grpc" => Policy::grpc(),
            _ => Self::new(),
        }
    }
}
