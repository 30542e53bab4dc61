//! Facts of [`tonic::Status`] (J6).
//!
//! A status is either the server's response or tonic's mapping of a transport failure. The second
//! kind has the failure as its source, which is more precise than the code: a client timeout is
//! "cancelled", an invalid certificate is "unavailable".

use tonic::metadata::MetadataMap;
use tonic::{Code, Status, TimeoutExpired};

use super::facts;
use super::transport_cause::{TRANSPORT, transport_cause};
use crate::fault::{Failure, Fault, GrpcCode, Hint, Kind, RetrySignal, RetrySignals};
use crate::{GaveUp, Reason, RetryError};

/// The facts of a gRPC status, with those of its retry signals that are honoured. As a [`Failure`] a
/// status honours all of them: pushback in its trailers, and then the `RetryInfo` in its details.
///
/// ```
/// use steadfast::extract;
/// use steadfast::fault::{RetrySignal, RetrySignals};
/// use steadfast::{Policy, retry};
/// # use tonic::Status;
///
/// # async fn call() -> Result<(), Status> { Ok(()) }
/// # #[cfg(feature = "tokio")]
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let signals = RetrySignals::ALL.without(RetrySignal::GrpcRetryInfo);
/// let policy = Policy::immediate().build()?;
/// retry(&policy, call).facts(|status: &Status| extract::grpc_status(signals, status)).await?;
/// # Ok(())
/// # }
/// ```
pub fn grpc_status(signals: RetrySignals, status: &Status) -> Fault {
    let code = GrpcCode::from_number(status.code().into());
    let fault = Fault { grpc_status: code, ..transport(status).unwrap_or_default() };
    let fault = fault.with_type("tonic::Status");
    match hint(signals, status) {
        Some((hint, source)) => fault.with_hint_from(hint, source),
        None => fault,
    }
}

impl Failure for Status {
    fn fault(&self) -> Fault {
        grpc_status(RetrySignals::ALL, self)
    }

    cause_and_message!();
}

/// For attempts that left no status: a timeout is `DEADLINE_EXCEEDED`, a cancelled session `CANCELLED`,
/// and anything else, such as an open breaker, `UNAVAILABLE`.
impl From<GaveUp> for Status {
    fn from(gave_up: GaveUp) -> Self {
        let timed_out = gave_up.fault().kind == Some(Kind::Timeout);
        let code = match gave_up.reason {
            Reason::Cancelled => Code::Cancelled,
            _ if timed_out => Code::DeadlineExceeded,
            _ => Code::Unavailable,
        };
        Self::new(code, gave_up.to_string())
    }
}

/// Lets `?` return the last attempt's own status.
impl<T> From<RetryError<Self, T>> for Status {
    fn from(error: RetryError<Self, T>) -> Self {
        error.into_own()
    }
}

impl Failure for TimeoutExpired {
    fn fault(&self) -> Fault {
        Fault::of(Kind::Timeout).with_unknown_outcome().with_type("tonic::TimeoutExpired")
    }

    cause_and_message!();
}

/// The transport failure below the call, unless the code is more precise: the code of a stream reset
/// takes precedence over an unspecific connection failure.
fn transport(status: &Status) -> Option<Fault> {
    transport_cause(status, &[facts::<TimeoutExpired>]).or_else(|| {
        let found = transport_cause(status, TRANSPORT);
        found.filter(|fault| fault.kind != Some(Kind::Connection) || status.code() == Code::Unknown)
    })
}

fn hint(signals: RetrySignals, status: &Status) -> Option<(Hint, RetrySignal)> {
    let pushback = || Some((pushback(status.metadata())?, RetrySignal::GrpcRetryPushback));
    let retry_info =
        || Some((Hint::grpc_retry_info(status.details())?, RetrySignal::GrpcRetryInfo));
    let honoured = |found: &(Hint, RetrySignal)| signals.contains(found.1);
    pushback().filter(honoured).or_else(|| retry_info().filter(honoured))
}

/// An invalid pushback means stop, including bytes that are not text, and so do several.
fn pushback(metadata: &MetadataMap) -> Option<Hint> {
    let mut values = metadata.get_all(RetrySignal::GrpcRetryPushback.name()).iter();
    let first = values.next()?;
    if values.next().is_some() {
        return Some(Hint::Stop);
    }
    Some(first.to_str().map_or(Hint::Stop, Hint::grpc_pushback))
}
