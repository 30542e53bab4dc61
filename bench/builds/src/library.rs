//! The measured libraries: how a user depends on them and calls them.

/// One library with the features of an asynchronous retry, or of a blocking one if it has no other.
#[derive(Debug, Clone, Copy)]
pub struct Library {
    /// The name in the report, and of the generated project.
    pub name: &'static str,
    /// The line in `[dependencies]`. `{crates}` is the directory of this library's packages.
    pub dependency: &'static str,
    /// The maximum cost of a cold build; the peers have none.
    pub goal: Option<ColdGoal>,
    /// How it is called, if its call sites are measured.
    pub calls: Option<Calls>,
}

impl Library {
    /// Whether it is this library, which has goals.
    pub fn is_ours(&self) -> bool {
        self.goal.is_some()
    }
}

/// The maximum cost of building a library from nothing.
#[derive(Debug, Clone, Copy)]
pub struct ColdGoal {
    /// CPU time in seconds.
    pub seconds: f64,
    /// The number of crates.
    pub crates: f64,
}

/// How a library is called, as its documentation recommends.
#[derive(Debug, Clone, Copy)]
pub struct Calls {
    /// The items in scope.
    pub items: &'static str,
    /// The type of the policy.
    pub policy_type: &'static str,
    /// The policy, built once.
    pub policy: &'static str,
    /// An asynchronous call with a `policy: &Policy`. `{fetch}` is its operation, a future.
    pub asynchronous: Option<&'static str>,
    /// A blocking call with a `policy: &Policy`. `{fetch}` is its operation, a result.
    pub blocking: Option<&'static str>,
}

/// All libraries, this one first.
pub const LIBRARIES: &[Library] = &[
    STEADFAST,
    STEADFAST_ALONE,
    BACKON,
    TOKIO_RETRY,
    TOKIO_RETRY2,
    BACKOFF,
    RELENTLESS,
    TOWER,
    RETRY,
];

const STEADFAST: Library = Library {
    name: "steadfast",
    dependency: r#"steadfast = { path = "{crates}/steadfast" }"#,
    goal: Some(ColdGoal { seconds: 6.0, crates: 12.0 }),
    calls: Some(Calls {
        items: "use steadfast::{Jitter, Policy, retry};",
        policy_type: "Policy",
        policy: "Policy::exponential(Duration::from_millis(10)).max_attempts(4)\
                 .jitter(Jitter::Full).build()?",
        asynchronous: Some("retry(policy, || async { {fetch} }).await?"),
        blocking: Some("retry(policy, || {fetch}).call()?"),
    }),
};

const STEADFAST_ALONE: Library = Library {
    name: "steadfast, no features",
    dependency: r#"steadfast = { path = "{crates}/steadfast", default-features = false }"#,
    goal: Some(ColdGoal { seconds: 2.5, crates: 5.0 }),
    calls: None,
};

const BACKON: Library = Library {
    name: "backon",
    dependency: r#"backon = "1""#,
    goal: None,
    calls: Some(Calls {
        items: "use backon::{BlockingRetryable as _, ExponentialBuilder, Retryable as _};",
        policy_type: "ExponentialBuilder",
        policy: "ExponentialBuilder::default().with_jitter()",
        asynchronous: Some("(|| async { {fetch} }).retry(*policy).await?"),
        blocking: Some("(|| {fetch}).retry(*policy).call()?"),
    }),
};

const TOKIO_RETRY: Library = Library {
    name: "tokio-retry",
    dependency: r#"tokio-retry = "0.3""#,
    goal: None,
    calls: Some(Calls {
        items: "use tokio_retry::{Retry, strategy::{ExponentialBackoff, jitter}};",
        policy_type: "ExponentialBackoff",
        policy: "ExponentialBackoff::from_millis(10)",
        asynchronous: Some(
            "Retry::start(policy.clone().map(jitter).take(3), || async { {fetch} }).await?",
        ),
        blocking: None,
    }),
};

const TOKIO_RETRY2: Library = Library {
    name: "tokio-retry2",
    dependency: r#"tokio-retry2 = { version = "0.9", features = ["jitter"] }"#,
    goal: None,
    calls: Some(Calls {
        items: "use tokio_retry2::{Retry, RetryError, strategy::{ExponentialBackoff, jitter}};",
        policy_type: "ExponentialBackoff",
        policy: "ExponentialBackoff::from_millis(10)",
        asynchronous: Some(
            "Retry::spawn(policy.clone().map(jitter).take(3), || async { \
             {fetch}.map_err(RetryError::transient) }).await?",
        ),
        blocking: None,
    }),
};

const BACKOFF: Library = Library {
    name: "backoff",
    dependency: r#"backoff = { version = "0.4", features = ["tokio"] }"#,
    goal: None,
    calls: Some(Calls {
        items: "use backoff::{Error, ExponentialBackoff};",
        policy_type: "ExponentialBackoff",
        policy: "ExponentialBackoff::default()",
        asynchronous: Some(
            "backoff::future::retry(policy.clone(), || async { \
             {fetch}.map_err(Error::transient) }).await?",
        ),
        blocking: Some("backoff::retry(policy.clone(), || {fetch}.map_err(Error::transient))?"),
    }),
};

const RELENTLESS: Library = Library {
    name: "relentless",
    dependency: r#"relentless = { version = "0.18", features = ["tokio-clock"] }"#,
    goal: None,
    calls: None,
};

const TOWER: Library = Library {
    name: "tower",
    dependency: r#"tower = { version = "0.5", features = ["retry", "util"] }"#,
    goal: None,
    calls: None,
};

const RETRY: Library = Library {
    name: "retry (blocking only)",
    dependency: r#"retry = "2""#,
    goal: None,
    calls: Some(Calls {
        items: "use retry::delay::{Exponential, jitter};",
        policy_type: "u64",
        policy: "10",
        asynchronous: None,
        blocking: Some(
            "retry::retry(Exponential::from_millis(*policy).map(jitter).take(3), || {fetch})?",
        ),
    }),
};
