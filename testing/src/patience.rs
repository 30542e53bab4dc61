//! Waiting for what sends no signal: a server that is coming up, or going down.

use std::time::{Duration, Instant};

use crate::Error;

const PAUSE: Duration = Duration::from_millis(10);

/// Asks until there is an answer; `None` when the time is up.
pub(crate) fn until<T>(
    limit: Duration,
    mut ask: impl FnMut() -> Result<Option<T>, Error>,
) -> Result<Option<T>, Error> {
    let began = Instant::now();
    loop {
        if let Some(answer) = ask()? {
            return Ok(Some(answer));
        }
        if began.elapsed() >= limit {
            return Ok(None);
        }
        std::thread::sleep(PAUSE);
    }
}
