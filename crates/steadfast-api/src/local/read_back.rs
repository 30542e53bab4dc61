//! What was done, read once more to be shown.
//!
//! By then it is committed. Were it told as a failure when only this read fails, whoever asked would
//! do it again: submit a second task, or be refused a second cancel. So the read is tried again for
//! a moment, and after that the answer is that it is done, and to what.

use std::fmt;
use std::future::Future;
use std::time::Duration;

use steadfast::{Jitter, Policy, retry};
use steadfast_store::StoreError;

use crate::error::{ApiError, ErrorKind};

const READING: Policy = Policy::exponential(Duration::from_millis(50))
    .max_attempts(4)
    .max_delay(Duration::from_millis(500))
    .jitter(Jitter::Full)
    .constant();

/// What `read` finds of the task or execution of this id, to which something was done.
pub(super) async fn shown<T, Fut>(
    id: impl fmt::Display,
    read: impl FnMut() -> Fut,
) -> Result<T, ApiError>
where
    Fut: Future<Output = Result<T, StoreError>>,
{
    retry(&READING, read).named("show what was done").await.map_err(|gave_up| {
        let unread =
            ApiError::new(ErrorKind::Unread, format!("it is done, but {id} cannot be read"));
        let cause = Some(gave_up.to_string().into());
        let id = Some(id.to_string().into());
        ApiError { id, cause, ..unread }.next("look at it later; do not ask for the same again")
    })
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    /// K4: a read that fails for a moment is made again, and nobody hears of it.
    #[tokio::test]
    async fn what_cannot_be_read_for_a_moment_is_read_again() {
        let times = Cell::new(0);
        let read = || {
            times.set(times.get() + 1);
            std::future::ready(if times.get() < 3 { Err(StoreError::no_answer()) } else { Ok(7) })
        };
        assert_eq!(shown("it", read).await.unwrap(), 7);
    }

    /// K4: what is done and cannot be shown is told as done, with what it is called.
    #[tokio::test]
    async fn what_cannot_be_read_is_done_all_the_same() {
        let away = || std::future::ready(Err::<(), _>(StoreError::no_answer()));
        let told = shown("01-2", away).await.unwrap_err();
        assert_eq!((told.kind, told.status), (ErrorKind::Unread, 202));
        assert_eq!(told.id.as_deref().map(String::as_str), Some("01-2"));
        assert!(told.next.is_some() && told.cause.is_some(), "{told}");
    }
}
