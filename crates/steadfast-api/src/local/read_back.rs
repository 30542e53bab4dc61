//! Reading of a task or execution after a committed change.
//!
//! If only this read fails, an error would make the client repeat the change: submit a second task,
//! or cancel twice. So the read is retried for a moment; after that the error says that the change
//! is done, and names the id.

use std::fmt;
use std::future::Future;
use std::time::Duration;

use steadfast::{Jitter, Policy, retry};
use steadfast_store::StoreError;

use crate::error::{ApiError, ErrorKind};

const READ_RETRY: Policy = Policy::exponential(Duration::from_millis(50))
    .max_attempts(4)
    .max_delay(Duration::from_millis(500))
    .jitter(Jitter::Full)
    .constant();

/// Reads the task or execution with this id after a committed change.
pub(super) async fn read_back<T, Fut>(
    id: impl fmt::Display,
    read: impl FnMut() -> Fut,
) -> Result<T, ApiError>
where
    Fut: Future<Output = Result<T, StoreError>>,
{
    retry(&READ_RETRY, read).named("read back").await.map_err(|gave_up| {
        let unread =
            ApiError::new(ErrorKind::ReadBackFailed, format!("done, but {id} cannot be read"));
        let cause = Some(gave_up.to_string().into());
        let id = Some(id.to_string().into());
        ApiError { id, cause, ..unread }.next("read it later; do not repeat the request")
    })
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    /// K4: a read that fails for a moment is retried.
    #[tokio::test]
    async fn failed_read_is_retried() {
        let times = Cell::new(0);
        let read = || {
            times.set(times.get() + 1);
            std::future::ready(if times.get() < 3 { Err(StoreError::timed_out()) } else { Ok(7) })
        };
        assert_eq!(read_back("it", read).await.unwrap(), 7);
    }

    /// K4: a change that cannot be read back is reported as done, with its id.
    #[tokio::test]
    async fn unreadable_change_is_reported_as_done() {
        let unavailable = || std::future::ready(Err::<(), _>(StoreError::timed_out()));
        let error = read_back("01-2", unavailable).await.unwrap_err();
        assert_eq!((error.kind, error.status), (ErrorKind::ReadBackFailed, 202));
        assert_eq!(error.id.as_deref().map(String::as_str), Some("01-2"));
        assert!(error.next.is_some() && error.cause.is_some(), "{error}");
    }
}
