//! The macros of steadfast. Use them through that crate, as `steadfast::retry` and
//! `steadfast::Fault`.
//!
//! A macro cannot call the library that it belongs to. So policies, rules and names are validated by
//! the library's `const` functions: the macro output contains constants that call them, and the
//! compiler reports an error at the invalid parameter. What the macros must know themselves (the names
//! of the fields and of the presets) is compared with the library in the tests.

mod arguments;
mod fact;
mod facts;
mod fault;
mod names;
mod parameters;
mod policy;
mod retry;
mod returned;
mod syntax;
mod values;

use proc_macro::TokenStream;

/// Retries a function when it fails.
///
/// ```
/// use std::io;
/// use steadfast::retry;
///
/// #[retry(max_attempts = 4, base_delay = "500ms", max_delay = "10s", jitter = "full")]
/// async fn fetch(url: &str) -> io::Result<String> {
///     // ...
/// #   Ok(url.to_owned())
/// }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> io::Result<()> {
/// assert_eq!(fetch("/index").await?, "/index");
/// # Ok(())
/// # }
/// ```
///
/// The function may be async or plain, free or a method, generic, or the implementation of a
/// trait's method (including `async_trait` methods). Each attempt runs its body; its signature does not
/// change.
///
/// # The policy
///
/// | parameter | |
/// |---|---|
/// | none | the default policy |
/// | `policy = "sql"` | a built-in policy: `sql`, `patient`, `workflow` or `grpc` |
/// | `policy = "storage.graph.upsert"` | a policy of the installed registry (feature `file`), looked up on each call |
/// | `policy = STORAGE` | any expression of type `Policy` or a reference to one: a static, `self.policy` |
/// | a field of a policy | that field: `max_attempts`, `max_retries`, `backoff_type`, `base_delay`, `multiplier`, `increment`, `min_delay`, `max_delay`, `schedule`, `jitter`, `jitter_type`, `jitter_amount`, `max_duration`, `attempt_timeout`, `retry_on`, `abort_on`, `idempotent`, `enabled`, `max_hint`, `max_rate_limit_waits`, `nested`, `enable_circuit_breaker`, `circuit_breaker_threshold`, `circuit_breaker_timeout`, `on_open` |
///
/// Fields are written as in a policy file: a duration is `"500ms"` or a number of seconds, a name is a
/// string, rules are a list of strings. A constant of the field's type is accepted as well. Fields
/// override those of a named policy. The compiler checks all of them:
///
/// ```compile_fail
/// # use std::io;
/// # use steadfast::retry;
/// #[retry(policy = "sql", max_attempts = 0)] // max_attempts must be at least 1
/// fn save() -> io::Result<()> {
///     # Ok(())
/// }
/// ```
///
/// `retry_on` is the complete list of what is retried and replaces the retryable part of the default
/// rules; `abort_on` adds to their final part. To extend the default rules instead, omit `retry_on` and
/// let `#[derive(Fault)]` report a kind that they match, such as `#[fault(kind = "timeout")]`, or give a
/// class in code with `judge`, which returns `None` to apply the rules. Or repeat default rules in the
/// list, such as `"timeout"`, `"connection"`, `"5xx"`.
///
/// ```
/// use steadfast::{Class, Fault, Kind, RetryError, retry};
///
/// fn retry_if_busy(fault: &Fault) -> Option<Class> {
///     (fault.type_name.as_deref() == Some("Busy")).then_some(Class::Retryable)
/// }
///
/// #[retry(backoff_type = "immediate", judge = retry_if_busy)]
/// fn query(response: Fault) -> Result<(), RetryError<Fault>> {
///     Err(response)
/// }
///
/// assert_eq!(query(Fault::default().with_type("Busy")).unwrap_err().attempts(), 3);
/// assert_eq!(query(Fault::of(Kind::Timeout)).unwrap_err().attempts(), 3);
/// ```
///
/// A method that takes `&mut self` cannot also borrow its policy from `self`; clone it instead: `policy =
/// Arc::clone(&self.policy)`.
///
/// All sessions of a function share one policy. A breaker configured here belongs to this function only;
/// to share one, make it a static and write `breaker = STATIC`.
///
/// # The call
///
/// | parameter | |
/// |---|---|
/// | `name = "storage.upsert"` | the operation's name in logs; defaults to the function's name |
/// | `facts = FUNCTION` | extracts the facts of an error that does not implement `Failure` |
/// | `judge = FUNCTION` | gives a class before any rule applies |
/// | `breaker = EXPRESSION` | a circuit breaker that guards each attempt |
/// | `budget = EXPRESSION` | a budget that limits retries |
/// | `instrument = EXPRESSION` | an observer, such as a `Recorder`; evaluated for each session |
/// | `environment = EXPRESSION` | another clock and timer, for runtimes other than tokio |
/// | `attempt = NAME` | the variable that holds the attempt in the body: its number, key and deadline |
///
/// ```
/// use std::io;
/// use std::time::Duration;
/// use steadfast::{Policy, retry};
///
/// struct Storage {
///     policy: Policy,
/// }
///
/// impl Storage {
///     #[retry(policy = self.policy, name = "storage.upsert", attempt = attempt)]
///     fn upsert(&self, row: u32) -> io::Result<String> {
///         if attempt.number() == 1 {
///             return Err(io::ErrorKind::ConnectionReset.into());
///         }
///         Ok(format!("{row} by {}", attempt.number()))
///     }
/// }
///
/// let storage = Storage { policy: Policy::immediate().build().unwrap() };
/// assert_eq!(storage.upsert(7)?, "7 by 2");
/// # Ok::<(), io::Error>(())
/// ```
///
/// # The arguments
///
/// Each attempt receives all arguments. References are passed to each attempt; a `&mut` is passed from one
/// attempt to the next, which sees the changes. Other arguments are cloned for each attempt, including
/// the first: take a reference where cloning is expensive. The return value cannot borrow from a `&mut`
/// argument or from a cloned one.
///
/// # The result
///
/// The function returns a `Result` or an alias of one. It returns the last attempt's error, unchanged.
/// After a timeout or a rejection by a breaker there is no such error, so the error type must implement
/// `From<steadfast::GaveUp>`, as `std::io::Error` does. Or declare `Result<T, RetryError<E>>`: then the
/// body returns a `Result<T, E>`, and the caller receives the full report.
///
/// ```
/// use std::io;
/// use steadfast::{Reason, RetryError, retry};
///
/// #[retry(backoff_type = "immediate", max_retries = 1)]
/// fn connect() -> Result<(), RetryError<io::Error>> {
///     Err(io::ErrorKind::ConnectionRefused.into())
/// }
///
/// let error = connect().unwrap_err();
/// assert_eq!((error.reason(), error.attempts()), (Reason::AttemptsExhausted, 2));
/// ```
#[proc_macro_attribute]
pub fn retry(parameters: TokenStream, item: TokenStream) -> TokenStream {
    retry::expand(parameters.into(), item.into()).into()
}

/// Implements `Failure` for an enum or a struct, so that the error reports its facts.
///
/// ```
/// use std::io;
/// use std::time::Duration;
/// use steadfast::{Failure, Fault, Hint, Kind};
///
/// #[derive(Debug, Fault)]
/// enum LookupError {
///     #[fault(kind = "timeout")]
///     Slow,
///     #[fault(http = status, hint = retry_after)]
///     Answer { status: u16, retry_after: Option<Duration> },
///     Database(#[fault(sqlstate)] String),
///     Connection(#[source] io::Error),
/// }
///
/// impl std::fmt::Display for LookupError {
///     // ... by hand or with thiserror.
/// #   fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result { write!(f, "{self:?}") }
/// }
///
/// assert_eq!(LookupError::Slow.fault().kind, Some(Kind::Timeout));
/// let busy = LookupError::Answer { status: 429, retry_after: Some(Duration::from_secs(2)) };
/// assert_eq!(busy.fault().http_status, Some(429));
/// assert_eq!(busy.fault().hint, Some(Hint::After(Duration::from_secs(2))));
/// let deadlock = LookupError::Database("40P01".to_owned());
/// assert_eq!(deadlock.fault().sqlstate.unwrap().class(), "40");
/// ```
///
/// Attributes of a variant or a struct, each with a literal or the name of a field:
///
/// | | literal | type of the field |
/// |---|---|---|
/// | `kind` | `"timeout"`, or the name of any other `Kind` | `Kind` |
/// | `http` | `503` | `u16`, or a type that converts into it |
/// | `sqlstate` | `"40P01"` | a string |
/// | `grpc` | `"UNAVAILABLE"` | `GrpcCode`, or a type that converts into `i32` |
/// | `exit` | `75` | `i32`, or a type that converts into it |
/// | `hint` | `"30s"` | `Duration` or `Hint` |
///
/// An `Option` of such a type is accepted; `None` reports nothing. For fields without names the
/// attribute goes on the field: `Database(#[fault(sqlstate)] String)`.
///
/// Other attributes:
///
/// - `unknown_outcome`: the request may have taken effect.
/// - `type = "TimeoutError"`: the type name for rules. Defaults to the type's path, which all variants of
///   an enum share. On an enum it applies to all variants.
/// - `transparent`: the field reports everything through its own `Failure`. It is the only field, or the
///   source. Use it to wrap an error that derives `Fault`: no extractor knows that type as a source.
///
/// - `gave_up`: the variant for a session that left no error, such as after a timeout. Its field is a
///   `steadfast::GaveUp`. With it `?` turns the error of a session into this type:
///
/// ```
/// use steadfast::{Fault, GaveUp, Policy, retry};
///
/// #[derive(Debug, Fault)]
/// enum LookupError {
///     #[fault(http = 503)]
///     Unavailable,
///     #[fault(gave_up)]
///     GaveUp(GaveUp),
/// }
/// # impl std::fmt::Display for LookupError {
/// #   fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result { write!(f, "{self:?}") }
/// # }
///
/// fn find(policy: &Policy) -> Result<u32, LookupError> {
///     let found = retry(policy, || Err::<u32, _>(LookupError::Unavailable)).call()?;
///     Ok(found)
/// }
/// # let policy = Policy::immediate().build().unwrap();
/// # assert!(matches!(find(&policy), Err(LookupError::Unavailable)));
/// ```
///
/// A field marked `#[source]` or `#[from]` (as in thiserror) or `#[fault(source)]`, or named `source`, is
/// the cause: its facts apply where the error's own facts match no rule.
///
/// The message comes from `Display`, which the type must implement.
#[proc_macro_derive(Fault, attributes(fault, source, from))]
pub fn fault(input: TokenStream) -> TokenStream {
    fault::expand(input.into()).into()
}
