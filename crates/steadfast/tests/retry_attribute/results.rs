//! Results of retried functions (I4).

use std::error::Error;
use std::io;

use steadfast::{Fault, GaveUp, Reason, RetryError, retry};

use crate::{Flaky, refused};

#[derive(Debug, thiserror::Error, Fault)]
enum OwnError {
    #[error("call {0} failed")]
    #[fault(kind = "timeout")]
    Failed(u32),
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error(transparent)]
    GaveUp(#[from] GaveUp),
}

type Alias<T> = Result<T, OwnError>;

#[retry(backoff_type = "immediate")]
fn aliased(calls: &mut u32) -> Alias<String> {
    *calls += 1;
    Err(OwnError::Failed(*calls))
}

/// I4: the last attempt's own error comes back unchanged, whatever the result is called.
#[test]
fn original_error_is_returned() {
    let mut calls = 0;
    assert!(matches!(aliased(&mut calls), Err(OwnError::Failed(3))));
}

#[retry(backoff_type = "immediate")]
async fn converting(service: &Flaky) -> Result<u32, OwnError> {
    let call = service.ask()?;
    if call == 1 {
        return Err(OwnError::Failed(call));
    }
    Ok(call)
}

/// `?` converts errors, and `return` ends the attempt, as in any function.
#[tokio::test]
async fn question_marks_and_returns_work() {
    assert_eq!(converting(&Flaky::failing(2)).await.unwrap(), 3);
    assert_eq!(converting(&Flaky::failing(0)).await.unwrap(), 2);
    assert!(matches!(converting(&Flaky::down()).await, Err(OwnError::Io(_))));
}

#[retry(backoff_type = "immediate")]
async fn whole(service: &Flaky) -> Result<u32, RetryError<OwnError>> {
    Ok(service.ask()?)
}

#[retry(backoff_type = "immediate")]
fn whole_plain(service: &Flaky) -> std::result::Result<u32, steadfast::RetryError<io::Error>> {
    service.ask()
}

/// I4: or all that happened.
#[tokio::test]
async fn retry_error_is_returned() {
    let error = whole(&Flaky::down()).await.unwrap_err();
    assert_eq!((error.reason(), error.attempts()), (Reason::AttemptsExhausted, 3));
    assert_eq!(error.gave_up().failures.len(), 3);
    assert!(error.source().unwrap().is::<OwnError>());
    assert_eq!(whole(&Flaky::failing(2)).await.unwrap(), 3);
    assert_eq!(whole_plain(&Flaky::down()).unwrap_err().attempts(), 3);
}

/// What has no error of its own needs none that could say so.
#[retry(backoff_type = "immediate")]
fn hidden() -> Result<impl Iterator<Item = u32>, io::Error> {
    Ok((1..).take(3))
}

#[retry(backoff_type = "immediate")]
async fn hidden_async(service: &Flaky) -> io::Result<impl Iterator<Item = u32> + use<>> {
    let last = service.ask()?;
    Ok(1..=last)
}

#[tokio::test]
async fn impl_trait_value_is_supported() {
    assert_eq!(hidden().unwrap().sum::<u32>(), 6);
    assert_eq!(hidden_async(&Flaky::failing(1)).await.unwrap().sum::<u32>(), 3);
}

#[retry(backoff_type = "immediate")]
fn only_fails() -> io::Result<()> {
    Err(refused())?
}

#[test]
fn body_that_only_fails_is_supported() {
    assert_eq!(only_fails().unwrap_err().kind(), io::ErrorKind::ConnectionRefused);
}
