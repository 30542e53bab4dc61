//! Built-in policies (P6).

use std::time::Duration;

use super::{Draft, Jitter, Policy};

/// The names of the built-in policies.
pub const PRESETS: [&str; 4] = ["sql", "patient", "workflow", "grpc"];

const SQL: Draft = Policy::exponential(Duration::from_millis(500))
    .max_retries(3)
    .jitter(Jitter::Additive(Duration::from_millis(100)))
    .max_duration(Duration::from_secs(30));

const PATIENT: Draft = Policy::exponential(Duration::from_secs(60))
    .max_retries(8)
    .max_delay(Duration::from_secs(3600));

const WORKFLOW: Draft = Policy::exponential(Duration::from_secs(60))
    .max_retries(5)
    .max_delay(Duration::from_secs(3600));

const GRPC: Draft = Policy::exponential(Duration::from_secs(1))
    .multiplier(1.6)
    .max_delay(Duration::from_secs(120))
    .jitter(Jitter::Equal);

impl Draft {
    /// A built-in policy, to use unchanged or as a base.
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
            b"sql" => SQL,
            b"patient" => PATIENT,
            b"workflow" => WORKFLOW,
            b"grpc" => GRPC,
            _ => Self::new(),
        }
    }
}
