//! The facts of one failure, without a classification.
//!
//! That a response was a 503 is a fact; whether to retry it differs from caller to caller. With the
//! two separated, one error can be final for one policy and retryable for another, a program in
//! another language can send its facts as JSON and get the same classification (J1), and each
//! crate-specific `match` is in one small extractor instead of in every retry loop.
//!
//! A [`Fault`] holds the facts, [`Failure`] is the trait of errors that report them, [`extract`]
//! covers the errors of other crates, and [`judge`](crate::judge) turns facts into a
//! [`Class`](crate::Class).

mod chain;
mod codes;
pub mod extract;
#[cfg(feature = "http")]
mod headers;
mod hint;
mod kind;
mod retry_info;
mod signals;
#[cfg(feature = "serde")]
mod wire;

use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

pub(crate) use chain::walk;
pub use chain::{Failure, MAX_CAUSES};
pub use codes::{GrpcCode, SqlState};
pub use hint::Hint;
pub use kind::{Family, Kind};
pub use signals::{RetrySignal, RetrySignals};

/// The facts of one failure.
///
/// Plain data: every field is optional, and none implies a decision. In JSON (feature `serde`) the
/// fault below is `{"http_status": 429, "hint": 120}`.
///
/// ```
/// use std::time::Duration;
/// use steadfast::{Fault, Hint, Kind};
///
/// let fault = Fault::http(429).with_hint(Hint::After(Duration::from_secs(120)));
/// assert_eq!(fault.http_status, Some(429));
///
/// assert_eq!(Fault::of(Kind::Timeout).kind, Some(Kind::Timeout));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(
    feature = "openapi",
    schema(description = "The facts of a failure. Every field is optional.")
)]
#[cfg_attr(feature = "openapi", serde(default, deny_unknown_fields))]
#[non_exhaustive]
#[must_use]
pub struct Fault {
    /// The kind of the failure, such as `timeout` or `connection_reset`.
    pub kind: Option<Kind>,
    /// The name of the error's type, such as `TimeoutError` or `sqlx::Error`.
    #[cfg_attr(feature = "openapi", schema(rename = "type", value_type = Option<String>))]
    pub type_name: Option<Cow<'static, str>>,
    /// The HTTP status code.
    #[cfg_attr(feature = "openapi", schema(maximum = 65535))]
    pub http_status: Option<u16>,
    /// The SQLSTATE of a database error.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>))]
    pub sqlstate: Option<SqlState>,
    /// The gRPC status code.
    pub grpc_status: Option<GrpcCode>,
    /// The exit code of a process.
    pub exit_code: Option<i32>,
    /// When the other side allows a retry: a delay, or `stop` for never.
    pub hint: Option<Hint>,
    /// The signal that contained the hint, such as `retry-after-ms`.
    pub hint_source: Option<RetrySignal>,
    /// Whether the other side asks for a retry, whatever its status: the header `x-should-retry`.
    pub should_retry: Option<bool>,
    /// Whether the request may have taken effect despite the failure.
    pub unknown_outcome: bool,
    /// The error message.
    pub message: Option<String>,
    /// The causes, outermost first.
    #[cfg_attr(feature = "openapi", schema(no_recursion))]
    pub causes: Vec<Fault>,
}

impl Fault {
    /// A failure of this kind.
    pub fn of(kind: Kind) -> Self {
        Self { kind: Some(kind), ..Self::default() }
    }

    /// An attempt that timed out: it may have taken effect.
    ///
    /// ```
    /// use steadfast::{Class, Fault, Policy, judge};
    ///
    /// let policy = Policy::immediate().build()?;
    /// let judgement = judge::judge(policy.rules(), &Fault::timed_out());
    /// assert_eq!(judgement.class(), Class::UnknownOutcome);
    /// # Ok::<(), steadfast::policy::PolicyError>(())
    /// ```
    #[cold]
    pub fn timed_out() -> Self {
        Self::of(Kind::Timeout).with_unknown_outcome().with_message("the attempt took too long")
    }

    /// An HTTP response with this status.
    pub fn http(status: u16) -> Self {
        Self { http_status: Some(status), ..Self::default() }
    }

    /// A database error with this SQLSTATE. A text that is not a SQLSTATE, such as a single
    /// character, is ignored.
    pub fn sql(sqlstate: &str) -> Self {
        Self { sqlstate: SqlState::new(sqlstate), ..Self::default() }
    }

    /// A gRPC call that ended with this status.
    pub fn grpc(code: GrpcCode) -> Self {
        Self { grpc_status: Some(code), ..Self::default() }
    }

    /// A process that ended with this exit code.
    pub fn exit(code: i32) -> Self {
        Self { exit_code: Some(code), ..Self::default() }
    }

    /// Adds a hint when to retry.
    pub fn with_hint(mut self, hint: impl Into<Option<Hint>>) -> Self {
        self.hint = hint.into();
        self
    }

    /// Adds a hint and the signal that contained it.
    pub fn with_hint_from(mut self, hint: Hint, source: RetrySignal) -> Self {
        self.hint = Some(hint);
        self.hint_source = Some(source);
        self
    }

    /// Adds the other side's own word on whether to retry.
    ///
    /// ```
    /// use steadfast::judge::{self, Rules};
    /// use steadfast::{Class, Fault};
    ///
    /// let locked = Fault::http(409).with_should_retry(true);
    /// assert_eq!(judge::judge(&Rules::DEFAULT, &locked).class(), Class::Retryable);
    /// let billing = Fault::http(429).with_should_retry(false);
    /// assert_eq!(judge::judge(&Rules::DEFAULT, &billing).class(), Class::Final);
    /// ```
    pub fn with_should_retry(mut self, should_retry: impl Into<Option<bool>>) -> Self {
        self.should_retry = should_retry.into();
        self
    }

    /// Adds the name of the error's type.
    pub fn with_type(mut self, name: impl Into<Cow<'static, str>>) -> Self {
        self.type_name = Some(name.into());
        self
    }

    /// Adds the error's message.
    pub fn with_message(mut self, message: impl Into<String>) -> Self {
        self.message = Some(message.into());
        self
    }

    /// Marks a request that may have taken effect.
    ///
    /// ```
    /// use steadfast::fault::{Kind, MAX_CAUSES};
    /// use steadfast::judge::{self, Judgement, Rules};
    /// use steadfast::{Class, Fault, GrpcCode};
    ///
    /// let lost = Fault::of(Kind::Timeout).with_unknown_outcome();
    /// let judgement: Judgement = judge::judge(&Rules::DEFAULT, &lost);
    /// assert_eq!(judgement.class(), Class::UnknownOutcome);
    /// assert_eq!(Judgement::by_code(Class::Final, None).class(), Class::Final);
    /// assert_eq!(GrpcCode::from_number(14), Some(GrpcCode::Unavailable));
    /// assert_eq!(MAX_CAUSES, 64);
    /// ```
    pub fn with_unknown_outcome(mut self) -> Self {
        self.unknown_outcome = true;
        self
    }

    /// Adds a cause.
    pub fn caused_by(mut self, cause: Self) -> Self {
        self.causes.push(cause);
        self
    }

    /// Drops the fault without a call where it owns nothing. Dropping causes is recursive, so the
    /// compiler does not inline it even where there are none.
    #[inline(always)]
    pub(crate) fn discard(self) {
        let owns_nothing = !matches!(self.type_name, Some(Cow::Owned(_)))
            && self.message.is_none()
            && self.causes.is_empty();
        if owns_nothing && self.causes.capacity() == 0 {
            std::mem::forget(self);
        }
    }

    /// The wait that the other side asked for, if it did.
    #[inline]
    pub(crate) fn wait(&self) -> Option<Duration> {
        match self.hint {
            Some(Hint::After(wait)) => Some(wait),
            _ => None,
        }
    }

    /// Whether the connection must be closed instead of reused (J4). The causes count as well.
    ///
    /// ```
    /// use steadfast::{Fault, Kind};
    ///
    /// let reset = Fault::of(Kind::ConnectionReset);
    /// assert!(reset.invalidates_connection());
    /// assert!(!Fault::http(503).invalidates_connection());
    /// assert!(Fault::default().caused_by(reset).invalidates_connection());
    /// ```
    #[must_use]
    pub fn invalidates_connection(&self) -> bool {
        self.invalidates_within(&mut { MAX_CAUSES })
    }

    fn invalidates_within(&self, left: &mut usize) -> bool {
        if *left == 0 {
            return false;
        }
        *left -= 1;
        self.invalidates_alone() || self.causes.iter().any(|cause| cause.invalidates_within(left))
    }

    fn invalidates_alone(&self) -> bool {
        self.unknown_outcome
            || self.sqlstate.is_some_and(|state| state.class() == "08")
            || matches!(
                self.kind.map(Kind::family),
                Some(Family::Connection | Family::Timeout | Family::Tls)
            )
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        let mut part = |f: &mut fmt::Formatter<'_>, text: fmt::Arguments<'_>| {
            let result = write!(f, "{separator}{text}");
            separator = ", ";
            result
        };
        if let Some(kind) = self.kind {
            part(f, format_args!("{kind}"))?;
        }
        if let Some(status) = self.http_status {
            part(f, format_args!("HTTP {status}"))?;
        }
        if let Some(state) = self.sqlstate {
            part(f, format_args!("SQLSTATE {state}"))?;
        }
        if let Some(code) = self.grpc_status {
            part(f, format_args!("gRPC {code}"))?;
        }
        if let Some(code) = self.exit_code {
            part(f, format_args!("exit code {code}"))?;
        }
        match (&self.message, &self.type_name) {
            (Some(message), _) => part(f, format_args!("{message}")),
            (None, Some(name)) => part(f, format_args!("{name}")),
            (None, None) => Ok(()),
        }
    }
}
