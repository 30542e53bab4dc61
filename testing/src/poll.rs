//! Polling, for events without a signal such as the start or the end of a server.

use std::time::{Duration, Instant};

use crate::Error;

const POLL_INTERVAL: Duration = Duration::from_millis(10);

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
