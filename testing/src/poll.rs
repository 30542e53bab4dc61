//! Polling, for conditions without a signal such as the start or the end of a server.

use std::time::{Duration, Instant};

use crate::Error;

const POLL_INTERVAL: Duration = Duration::from_millis(10);

/// No condition of a test takes this long to hold.
const TEST_TIMEOUT: Duration = Duration::from_secs(60);

/// Polls until there is a result; `None` after the limit.
pub(crate) fn until<T>(
    limit: Duration,
    mut poll: impl FnMut() -> Result<Option<T>, Error>,
) -> Result<Option<T>, Error> {
    let started = Instant::now();
    loop {
        if let Some(result) = poll()? {
            return Ok(Some(result));
        }
        if started.elapsed() >= limit {
            return Ok(None);
        }
        std::thread::sleep(POLL_INTERVAL);
    }
}

/// Blocks until there is a result.
///
/// # Panics
/// None appears within a minute; the message names `what`.
#[track_caller]
pub fn wait_for<T>(what: &str, mut poll: impl FnMut() -> Option<T>) -> T {
    match until(TEST_TIMEOUT, || Ok(poll())) {
        Ok(Some(result)) => result,
        _ => timed_out(what),
    }
}

/// Waits until there is a result.
///
/// # Panics
/// None appears within a minute; the message names `what`.
#[cfg(feature = "tokio")]
pub async fn eventually_some<T>(what: &str, mut poll: impl AsyncFnMut() -> Option<T>) -> T {
    let polls = async {
        loop {
            if let Some(result) = poll().await {
                return result;
            }
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    };
    match tokio::time::timeout(TEST_TIMEOUT, polls).await {
        Ok(result) => result,
        Err(_) => timed_out(what),
    }
}

/// Waits until a condition holds.
///
/// # Panics
/// It does not within a minute; `what` says what was awaited.
#[cfg(feature = "tokio")]
pub async fn eventually(what: &str, mut holds: impl AsyncFnMut() -> bool) {
    eventually_some(what, async || holds().await.then_some(())).await;
}

#[track_caller]
#[expect(clippy::panic, reason = "the test that waits fails")]
fn timed_out(what: &str) -> ! {
    panic!("timed out after {TEST_TIMEOUT:?}: {what}")
}
