//! Events as they come, as server-sent events.
//!
//! A connection breaks, a server is replaced. Events have numbers that only grow, so whoever
//! follows says the last one that came, and misses none (O1). So it need not hurry back either: a
//! server that is about to go lets everybody go at once, and a proxy may do nothing else.

use std::collections::VecDeque;
use std::fmt;
use std::time::Duration;

use crate::{ApiError, ErrorKind, EventFilter, EventView};
use reqwest::Response;
use reqwest::header::{ACCEPT, HeaderValue};
use serde::Deserialize;
use tokio::time::{Instant, sleep_until, timeout};

use super::client::Remote;
use super::request::Request;
use super::request_error::Failed;

const STREAM: HeaderValue = HeaderValue::from_static("text/event-stream");
const LAST_EVENT_ID: &str = "last-event-id";
/// A server shows every 15 seconds that it lives.
const SILENCE: Duration = Duration::from_secs(50);
/// How long to wait before going on elsewhere.
const PAUSE: Duration = Duration::from_millis(500);
/// No event is as long as this.
const LONGEST: usize = 4 << 20;

/// Follows what happens from one event on.
pub struct Following {
    remote: Remote,
    filter: EventFilter,
    last: i64,
    open: Option<Response>,
    /// When the server may be asked again that has let go.
    not_before: Option<Instant>,
    text: Vec<u8>,
    read: VecDeque<EventView>,
    gap: Option<Gap>,
}

/// Events that may be forgotten, because whoever follows was away for longer than they are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct Gap {
    /// They came after the one of this number.
    pub after: i64,
    /// And before this one; nothing if none is kept.
    pub from: Option<i64>,
}

impl fmt::Debug for Following {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Following").field("remote", &self.remote).field("last", &self.last).finish()
    }
}

impl Remote {
    /// Follows the events after the one of this number.
    #[must_use]
    pub fn follow(&self, filter: EventFilter, after: i64) -> Following {
        let (remote, text, read) = (self.clone(), Vec::new(), VecDeque::new());
        let (open, not_before, gap) = (None, None, None);
        Following { remote, filter, last: after, open, not_before, text, read, gap }
    }
}

impl Following {
    /// The next event, however long it takes. One that only a newer version can read is passed
    /// over, with a warning.
    ///
    /// # Errors
    /// The server cannot be reached, or does not want to be asked. Ask again, and it goes on where
    /// it was.
    pub async fn next(&mut self) -> Result<EventView, ApiError> {
        loop {
            if let Some(event) = self.read.pop_front() {
                return Ok(event);
            }
            self.read_on().await?;
        }
    }

    /// What may be missing before the events that came since this was last asked.
    pub const fn gap(&mut self) -> Option<Gap> {
        self.gap.take()
    }

    async fn read_on(&mut self) -> Result<(), ApiError> {
        let mut open = match self.open.take() {
            Some(open) => open,
            None => self.connect().await?,
        };
        let chunk = timeout(SILENCE, open.chunk()).await.map_err(|_| self.silent())?;
        let address = self.remote.address();
        let chunk = chunk.map_err(|error| Failed::unanswered(address, &error).error)?;
        // The server lets everybody go when it ends; another one goes on.
        let Some(chunk) = chunk else {
            self.not_before = Some(Instant::now() + PAUSE);
            return Ok(());
        };
        self.text.extend_from_slice(&chunk);
        self.take_events()?;
        self.open = Some(open);
        Ok(())
    }

    async fn connect(&mut self) -> Result<Response, ApiError> {
        if let Some(time) = self.not_before {
            sleep_until(time).await;
        }
        self.text.clear();
        let url = self.remote.address().of(&["events"])?;
        let request = Request::get(url).query(&self.filter)?;
        let building = self.remote.building(&request).header(ACCEPT, STREAM);
        let sent = timeout(SILENCE, building.header(LAST_EVENT_ID, self.last).send()).await;
        let sent = sent.map_err(|_| self.silent())?;
        let address = self.remote.address();
        let response = sent.map_err(|error| Failed::unanswered(address, &error).error)?;
        match response.status().is_success() {
            true => Ok(response),
            false => Err(Failed::refused(address, response, true).await.error),
        }
    }

    /// Takes the events out of what was read; what is left has not come whole.
    fn take_events(&mut self) -> Result<(), ApiError> {
        while let Some(end) = self.text.windows(2).position(|two| two == b"\n\n") {
            let event: Vec<u8> = self.text.drain(..end + 2).collect();
            let (number, data) = (field(&event, "id").and_then(number), field(&event, "data"));
            let Some(data) = data else {
                continue;
            };
            if field(&event, "event") == Some(b"gap") {
                self.gap = serde_json::from_slice(data).ok();
                continue;
            }
            match serde_json::from_slice::<EventView>(data) {
                Ok(event) => {
                    self.last = event.number;
                    self.read.push_back(event);
                }
                Err(error) => {
                    // To ask for it again would be to get it again.
                    self.last = number.unwrap_or(self.last).max(self.last);
                    tracing::warn!(target: "steadfast", number, %error, "an event cannot be read");
                }
            }
        }
        match self.text.len() > LONGEST {
            true => Err(self.endless()),
            false => Ok(()),
        }
    }

    fn silent(&self) -> ApiError {
        let detail = format!("the server at {} fell silent", self.remote.address());
        ApiError::new(ErrorKind::Unreachable, detail).next("ask again")
    }

    fn endless(&self) -> ApiError {
        let detail = format!("what {} sends is no stream of events", self.remote.address());
        ApiError::new(ErrorKind::Other, detail).next("see that it is a Steadfast server")
    }
}

/// A field of an event: one line, as our servers write it. A sign of life has none.
fn field<'e>(event: &'e [u8], name: &str) -> Option<&'e [u8]> {
    let mut lines = event.split(|byte| *byte == b'\n');
    let line = lines.find_map(|line| line.strip_prefix(name.as_bytes())?.strip_prefix(b":"))?;
    Some(line.strip_prefix(b" ").unwrap_or(line))
}

fn number(text: &[u8]) -> Option<i64> {
    str::from_utf8(text).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// O1: an event carries its number and its line of data, a sign of life nothing.
    #[test]
    fn an_event_carries_its_data() {
        let event = b"id: 7\ndata: {\"a\":1}\n\n";
        assert_eq!(field(event, "id").and_then(number), Some(7));
        assert_eq!(field(event, "data"), Some(b"{\"a\":1}".as_slice()));
        assert_eq!(field(b"data:1\n\n", "data"), Some(b"1".as_slice()));
        assert_eq!(field(b":\n\n", "data"), None);
    }
}
