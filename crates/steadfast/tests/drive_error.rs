//! The error of a session: as a standard error, as a [`Failure`], and as the caller's own error (I4).

#![cfg(all(not(loom), feature = "macros", feature = "tokio"))]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::error::Error;
use std::future::{pending, ready};
use std::io::{self, ErrorKind};
use std::time::Duration;

use steadfast::guard::{Breaker, BreakerSettings};
use steadfast::{Failure, Fault, GaveUp, Kind, Moment, Policy, Reason, RetryError, retry};

const MS: Duration = Duration::from_millis(1);

fn immediate() -> Policy {
    Policy::immediate().max_attempts(2).build().unwrap()
}

fn hurried() -> Policy {
    Policy::immediate().max_attempts(2).attempt_timeout(MS).build().unwrap()
}

fn refused() -> io::Error {
    ErrorKind::ConnectionRefused.into()
}

/// I4: `?` in a function that returns `io::Result` returns the last attempt's own error.
#[tokio::test]
async fn question_mark_returns_the_own_error() {
    async fn connect() -> io::Result<()> {
        Ok(retry(&immediate(), || ready(Err(refused()))).await?)
    }
    fn connect_blocking() -> io::Result<()> {
        Ok(retry(&immediate(), || Err(refused())).call()?)
    }
    assert_eq!(connect().await.unwrap_err().kind(), ErrorKind::ConnectionRefused);
    assert_eq!(connect_blocking().unwrap_err().kind(), ErrorKind::ConnectionRefused);
}

/// I4: an attempt that timed out left no error, so one is made of the report.
#[tokio::test(start_paused = true)]
async fn question_mark_returns_a_timeout() {
    async fn hang() -> io::Result<()> {
        Ok(retry(&hurried(), pending).await?)
    }
    let error = hang().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TimedOut);
    let gave_up = error.get_ref().unwrap().downcast_ref::<GaveUp>().unwrap();
    assert_eq!((gave_up.reason, gave_up.attempts), (Reason::AttemptsExhausted, 2));
}

/// I4: a rejection by a breaker is no timeout.
#[test]
fn question_mark_returns_a_rejection() {
    let breaker = Breaker::new(BreakerSettings::consecutive(1, 60_000 * MS)).unwrap();
    breaker.open(Moment::ORIGIN);
    let rejected = retry(&immediate(), || Ok::<_, io::Error>(())).breaker(&breaker).call();
    let error = io::Error::from(rejected.unwrap_err());
    assert_eq!(error.kind(), ErrorKind::Other);
    assert!(error.to_string().contains("circuit breaker is open"), "{error}");
}

/// I4: with `?` in a function that returns `anyhow::Result`, for standard errors and for anyhow's own,
/// which is not a standard error. The chain contains the original error.
#[cfg(feature = "anyhow")]
#[tokio::test]
async fn question_mark_returns_anyhow() {
    async fn of_io() -> anyhow::Result<()> {
        Ok(retry(&immediate(), || ready(Err(refused()))).await?)
    }
    async fn of_anyhow() -> anyhow::Result<()> {
        Ok(retry(&immediate(), || ready(Err(anyhow::Error::from(refused())))).await?)
    }
    for error in [of_io().await.unwrap_err(), of_anyhow().await.unwrap_err()] {
        let root = error.root_cause().downcast_ref::<io::Error>().unwrap();
        assert_eq!(root.kind(), ErrorKind::ConnectionRefused);
        assert!(error.to_string().starts_with("gave up after 2 attempts"), "{error}");
    }
}

/// I4: a boxed error is not a standard error either, but it is the source.
#[test]
fn boxed_error_is_the_source() {
    type Boxed = Box<dyn Error + Send + Sync>;
    fn connect() -> Result<(), Boxed> {
        Ok(retry(&immediate(), || Err(Boxed::from(refused()))).call()?)
    }
    let error = connect().unwrap_err();
    assert!(error.source().unwrap().is::<io::Error>());
}

#[cfg(feature = "sqlx")]
#[test]
fn question_mark_returns_sqlx_errors() {
    fn find() -> sqlx::Result<()> {
        Ok(retry(&immediate(), || Err(sqlx::Error::PoolTimedOut)).call()?)
    }
    assert!(matches!(find().unwrap_err(), sqlx::Error::PoolTimedOut));
}

#[cfg(feature = "tonic")]
#[tokio::test(start_paused = true)]
async fn question_mark_returns_grpc_statuses() {
    async fn call() -> Result<(), tonic::Status> {
        Ok(retry(&immediate(), || ready(Err(tonic::Status::unavailable("down")))).await?)
    }
    async fn hang() -> Result<(), tonic::Status> {
        Ok(retry(&hurried(), pending).await?)
    }
    assert_eq!(call().await.unwrap_err().message(), "down");
    assert_eq!(hang().await.unwrap_err().code(), tonic::Code::DeadlineExceeded);
}

#[derive(Debug, thiserror::Error, Fault)]
enum Lookup {
    #[error("unavailable")]
    #[fault(http = 503)]
    Unavailable,
    #[error("gave up")]
    #[fault(gave_up)]
    GaveUp { report: GaveUp },
}

/// The same variant, converted by `thiserror`.
#[derive(Debug, thiserror::Error, Fault)]
enum Converted {
    #[error(transparent)]
    #[fault(gave_up)]
    GaveUp(#[from] GaveUp),
}

/// I4, J11: `gave_up` lets `?` return the operation's own error type.
#[tokio::test(start_paused = true)]
async fn question_mark_returns_the_derived_error() {
    async fn find() -> Result<(), Lookup> {
        Ok(retry(&immediate(), || ready(Err(Lookup::Unavailable))).await?)
    }
    async fn hang() -> Result<(), Lookup> {
        Ok(retry(&hurried(), pending).await?)
    }
    async fn hang_converted() -> Result<(), Converted> {
        Ok(retry(&hurried(), pending).await?)
    }
    assert!(matches!(find().await.unwrap_err(), Lookup::Unavailable));
    let Lookup::GaveUp { report } = hang().await.unwrap_err() else { panic!("it timed out") };
    assert_eq!(report.attempts, 2);
    let Converted::GaveUp(report) = hang_converted().await.unwrap_err();
    assert_eq!(report.fault().kind, Some(Kind::Timeout), "J11: the facts of the last attempt");
}

/// I4: a derived error that is a standard error is the source.
#[test]
fn derived_error_is_the_source() {
    let error = retry(&immediate(), || Err::<(), _>(Lookup::Unavailable)).call().unwrap_err();
    assert!(matches!(error.source().unwrap().downcast_ref(), Some(Lookup::Unavailable)));
}

/// I7, J8: the error of an inner session has the facts of its last attempt, so that an outer session
/// judges it alike.
#[test]
fn retry_error_is_a_failure() {
    let once = Policy::immediate().max_attempts(1).build().unwrap();
    let of_io = retry(&once, || Err::<(), _>(refused())).call().unwrap_err();
    assert_eq!(facts(&of_io), Some(Kind::ConnectionRefused));
    let of_fault = retry(&once, || Err::<(), _>(Fault::of(Kind::Busy))).call().unwrap_err();
    assert_eq!(facts(&of_fault), Some(Kind::Busy));
    assert_eq!(facts(&of_fault.into_gave_up()), Some(Kind::Busy));

    let nested = || retry(&once, || Err::<(), _>(refused())).call();
    let error: RetryError<RetryError<io::Error>> = retry(&immediate(), nested).call().unwrap_err();
    assert_eq!((error.reason(), error.attempts()), (Reason::AttemptsExhausted, 2));
}

/// The first kind in the facts of the failure and of its causes.
fn facts(failure: &impl Failure) -> Option<Kind> {
    let fault = steadfast::extract::failure(failure);
    fault.kind.or_else(|| fault.causes.iter().find_map(|cause| cause.kind))
}
