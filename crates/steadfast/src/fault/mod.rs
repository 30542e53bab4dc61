//! The facts of one failure, with no judgement in them.
//!
//! "Was it a 503 or a 404?" is a fact; "should it be tried again?" is an
//! opinion that differs from caller to caller. Keeping the two apart is what
//! lets one error be final for one policy and retryable for the next, lets a
//! program in another language send its facts as JSON and ask for the same
//! judgement (J1), and keeps every crate-specific `match` in one small
//! extractor instead of in every retry loop.
//!
//! [`Fault`] is the facts, [`Failure`] is the trait of errors that can tell
//! them, [`extract`] knows the errors of other crates, [`judge`](crate::judge)
//! turns facts into a [`Class`](crate::Class).

mod chain;
mod codes;
pub mod extract;
mod hint;
mod kind;

use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::serde_integer;

pub(crate) use chain::walk;
pub use chain::{Failure, MAX_CAUSES};
pub use codes::{GrpcCode, SqlState};
pub use hint::Hint;
pub use kind::{Family, Kind};

/// What is known about one failure.
///
/// Plain data: every field may be absent, and none says what to do about it.
///
/// ```
/// use std::time::Duration;
/// use steadfast::{Fault, Hint, Kind};
///
/// let fault = Fault::http(429).with_hint(Hint::After(Duration::from_secs(120)));
/// assert_eq!(fault.http_status, Some(429));
///
/// let same: Fault = serde_json::from_str(r#"{"http_status": 429, "hint": 120}"#).unwrap();
/// assert_eq!(same, fault);
/// assert_eq!(Fault::of(Kind::Timeout).kind, Some(Kind::Timeout));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, remote = "Self")]
#[non_exhaustive]
pub struct Fault {
    /// What sort of failure it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<Kind>,
    /// The name of the error's type, such as `TimeoutError` or `sqlx::Error`.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub type_name: Option<Cow<'static, str>>,
    /// The status of an HTTP answer.
    #[serde(
        skip_serializing_if = "Option::is_none",
        deserialize_with = "serde_integer::option::deserialize"
    )]
    pub http_status: Option<u16>,
    /// The SQLSTATE of a database's error.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "codes::lenient_sqlstate")]
    pub sqlstate: Option<SqlState>,
    /// The status code of a gRPC call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grpc_status: Option<GrpcCode>,
    /// The exit code of a process.
    #[serde(
        skip_serializing_if = "Option::is_none",
        deserialize_with = "serde_integer::option::deserialize"
    )]
    pub exit_code: Option<i32>,
    /// When the other side said to come back, if it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<Hint>,
    /// Whether the request may have taken effect all the same: it was sent, and
    /// no answer came.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unknown_outcome: bool,
    /// The error's own words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// What caused it, outermost first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub causes: Vec<Fault>,
}

crate::read_from_objects!(Fault);

impl Fault {
    /// A failure of a known kind.
    #[must_use]
    pub fn of(kind: Kind) -> Self {
        Self { kind: Some(kind), ..Self::default() }
    }

    /// An attempt that was cut off because it took too long: it may have taken effect.
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
    #[must_use]
    pub fn timed_out() -> Self {
        Self::of(Kind::Timeout).with_unknown_outcome().with_message("the attempt took too long")
    }

    /// An HTTP answer with this status.
    #[must_use]
    pub fn http(status: u16) -> Self {
        Self { http_status: Some(status), ..Self::default() }
    }

    /// A database error with this SQLSTATE. A text that is not a SQLSTATE (fewer
    /// than two characters, say) is no fact.
    #[must_use]
    pub fn sql(sqlstate: &str) -> Self {
        Self { sqlstate: SqlState::new(sqlstate), ..Self::default() }
    }

    /// A gRPC call that ended with this status.
    #[must_use]
    pub fn grpc(code: GrpcCode) -> Self {
        Self { grpc_status: Some(code), ..Self::default() }
    }

    /// A process that ended with this exit code.
    #[must_use]
    pub fn exit(code: i32) -> Self {
        Self { exit_code: Some(code), ..Self::default() }
    }

    /// The same facts, and when to come back.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<Option<Hint>>) -> Self {
        self.hint = hint.into();
        self
    }

    /// The same facts, and the name of the error's type.
    #[must_use]
    pub fn with_type(mut self, name: impl Into<Cow<'static, str>>) -> Self {
        self.type_name = Some(name.into());
        self
    }

    /// The same facts, and the error's own words.
    #[must_use]
    pub fn with_message(mut self, message: impl Into<String>) -> Self {
        self.message = Some(message.into());
        self
    }

    /// The same facts of a request that may have taken effect.
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
    #[must_use]
    pub fn with_unknown_outcome(mut self) -> Self {
        self.unknown_outcome = true;
        self
    }

    /// The same facts, caused by `cause`.
    #[must_use]
    pub fn caused_by(mut self, cause: Self) -> Self {
        self.causes.push(cause);
        self
    }

    /// Drops it. Dropping causes is recursive, so the compiler makes a call of it even where
    /// it can see that there are none; most faults own nothing at all.
    #[inline(always)]
    pub(crate) fn discard(self) {
        let owns_nothing = !matches!(self.type_name, Some(Cow::Owned(_)))
            && self.message.is_none()
            && self.causes.is_empty();
        if owns_nothing && self.causes.capacity() == 0 {
            std::mem::forget(self);
        }
    }

    /// How long the other side said to wait, if it did.
    #[inline]
    pub(crate) fn wait(&self) -> Option<Duration> {
        match self.hint {
            Some(Hint::After(wait)) => Some(wait),
            _ => None,
        }
    }

    /// Whether the connection it happened on must be thrown away, not reused (J4). What
    /// caused the failure has a say, too.
    ///
    /// ```
    /// use steadfast::{Fault, Kind};
    ///
    /// let reset = Fault::of(Kind::ConnectionReset);
    /// assert!(reset.spoils_connection());
    /// assert!(!Fault::http(503).spoils_connection());
    /// assert!(Fault::default().caused_by(reset).spoils_connection());
    /// ```
    #[must_use]
    pub fn spoils_connection(&self) -> bool {
        self.spoils_within(&mut { MAX_CAUSES })
    }

    fn spoils_within(&self, left: &mut usize) -> bool {
        if *left == 0 {
            return false;
        }
        *left -= 1;
        self.spoils_by_itself() || self.causes.iter().any(|cause| cause.spoils_within(left))
    }

    fn spoils_by_itself(&self) -> bool {
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
