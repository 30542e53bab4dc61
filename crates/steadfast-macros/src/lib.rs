//! The macros of steadfast: use them from there, as `steadfast::retry` and `steadfast::Fault`.
//!
//! A macro cannot call the library that it belongs to. So whatever can be right or wrong about a
//! policy, a rule or a name is left to the library's own `const` functions: the code that is
//! written here holds constants that ask them, and the compiler reports a refusal at the very
//! parameter that caused it. What must be known here as well (the fields' names, the presets, how
//! a duration is read) is compared with the library in the tests.

mod arguments;
mod duration;
mod errors;
mod fact;
mod facts;
mod fault;
mod names;
mod parameters;
mod policy;
mod retry;
mod returned;
mod values;

use proc_macro::TokenStream;

/// Tries a function again when it fails.
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
/// trait's method (of one under `async_trait`, too). Its body is what is tried; its signature
/// stays as it is.
///
/// # The policy
///
/// | parameter | |
/// |---|---|
/// | none | the default policy |
/// | `policy = "sql"` | a ready-made policy: `sql`, `patient`, `workflow` or `grpc` |
/// | `policy = "storage.graph.upsert"` | a policy of the file that the installed registry has (feature `file`); it may change while the program runs |
/// | `policy = STORAGE` | any expression that is a `Policy`, or refers to one: a static, `self.policy` |
/// | a field of a policy | that field: `max_attempts`, `max_retries`, `backoff_type`, `base_delay`, `multiplier`, `increment`, `max_delay`, `schedule`, `jitter`, `jitter_type`, `jitter_amount`, `max_duration`, `attempt_timeout`, `retry_on`, `abort_on`, `idempotent`, `enabled`, `max_hint`, `max_rate_limit_waits`, `nested`, `enable_circuit_breaker`, `circuit_breaker_threshold`, `circuit_breaker_timeout` |
///
/// A field is written as in a policy file: a duration is `"500ms"` or a number of seconds, a name is
/// a text, rules are a list of texts. Any constant of the field's type will do, too. Beside a name,
/// a field that is written here wins. All of it is checked by the compiler:
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
/// A written `retry_on` is the whole list of what is tried again: it takes the place of what the
/// default rules would try again; `abort_on` adds to what they would not. To add to what they
/// would try again, leave `retry_on` out and let `#[derive(Fault)]` tell a kind that they know, as
/// `#[fault(kind = "timeout")]` does, or give a class in code with `judge`, and nothing for what is
/// to be left to the rules. Or repeat in the list what you want of them, such as `"timeout"`,
/// `"connection"`, `"5xx"`.
///
/// ```
/// use steadfast::{Class, Fault, Kind, RetryError, retry};
///
/// fn busy_is_worth_it(fault: &Fault) -> Option<Class> {
///     (fault.type_name.as_deref() == Some("Busy")).then_some(Class::Retryable)
/// }
///
/// #[retry(backoff_type = "immediate", judge = busy_is_worth_it)]
/// fn ask(answer: Fault) -> Result<(), RetryError<Fault>> {
///     Err(answer)
/// }
///
/// assert_eq!(ask(Fault::default().with_type("Busy")).unwrap_err().attempts(), 3);
/// assert_eq!(ask(Fault::of(Kind::Timeout)).unwrap_err().attempts(), 3);
/// ```
///
/// A method that takes `&mut self` cannot borrow its policy from `self` as well; it can hold one of its
/// own: `policy = Arc::clone(&self.policy)`.
///
/// Sessions of one function share one policy. A breaker that is asked for here belongs to this
/// function alone; to share one, make it a static and write `breaker = STATIC`.
///
/// # The call
///
/// | parameter | |
/// |---|---|
/// | `name = "storage.upsert"` | what the operation is called in logs; else the function's name |
/// | `facts = FUNCTION` | draws the facts from an error that does not tell them itself |
/// | `judge = FUNCTION` | gives a class in code, before any rule |
/// | `breaker = EXPRESSION` | a breaker to ask before each attempt |
/// | `budget = EXPRESSION` | a budget to draw each retry from |
/// | `instrument = EXPRESSION` | what watches the session, such as a `Recorder`; made anew for each session |
/// | `environment = EXPRESSION` | another clock and timer, for runtimes other than tokio |
/// | `attempt = NAME` | what the body calls the attempt by: its number, key and deadline |
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
/// Each attempt gets the arguments anew. A reference is passed to each; a `&mut` to one after the
/// other, so what an attempt did to it the next one sees. Anything else is cloned for each attempt,
/// the first included: take a reference where that is dear. What is returned cannot borrow from a
/// `&mut` argument, nor from one that is cloned.
///
/// # The result
///
/// The function returns a `Result`, by that or another name. What comes back at the end is the last
/// attempt's own error, unchanged. There may be none, after a timeout or before an open breaker: so
/// the error must implement `From<steadfast::GaveUp>`, as `std::io::Error` does. Or say
/// `Result<T, RetryError<E>>`: then the body returns a `Result<T, E>`, and what comes back tells
/// all that happened.
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

/// Lets an error tell its facts: implements `Failure` for an enum or a struct.
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
///     // ... as every error does; thiserror's derive will do, too.
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
/// On a variant or a struct, each with a literal or with the name of a field:
///
/// | | literal | type of the field |
/// |---|---|---|
/// | `kind` | `"timeout"`, or the name of any other `Kind` | `Kind` |
/// | `http` | `503` | `u16`, or what turns into one |
/// | `sqlstate` | `"40P01"` | a text |
/// | `grpc` | `"UNAVAILABLE"` | `GrpcCode`, or what turns into an `i32` |
/// | `exit` | `75` | `i32`, or what turns into one |
/// | `hint` | `"30s"` | `Duration` or `Hint` |
///
/// An `Option` of such a type will do: nothing in it is no fact. Where fields have no names the fact
/// stands on the field itself: `Database(#[fault(sqlstate)] String)`.
///
/// Besides:
///
/// - `unknown_outcome`: the request may have taken effect.
/// - `type = "TimeoutError"`: another name for rules to match. Otherwise it is the type's own, with
///   its path; an enum's variants share it. On an enum it holds for all variants.
/// - `transparent`: the field inside tells everything, by its own `Failure`. It is the only field,
///   or the one that is the source. The way to wrap an error that derives `Fault` itself: as a mere
///   source it would be one more unknown type.
///
/// A field marked `#[source]`, `#[from]` (both as thiserror has them) or `#[fault(source)]`, or named
/// `source`, is the cause: where the error decides nothing itself, the facts of its cause do.
///
/// The message is what `Display` writes, so the type must implement that.
#[proc_macro_derive(Fault, attributes(fault, source, from))]
pub fn fault(input: TokenStream) -> TokenStream {
    fault::expand(input.into()).into()
}
