//! A stream of events, received as server-sent events.
//!
//! Event numbers increase, so after a lost connection the stream resumes from the last number and
//! misses nothing (O1). It waits before it reconnects: a server that stops disconnects all clients at
//! once.

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
use super::request_error::RequestError;

const STREAM: HeaderValue = HeaderValue::from_static("text/event-stream");
const LAST_EVENT_ID: &str = "last-event-id";
/// The timeout of a read; a server sends a heartbeat every 15 seconds.
const READ_TIMEOUT: Duration = Duration::from_secs(50);
/// The delay before a reconnect.
const RECONNECT_DELAY: Duration = Duration::from_millis(500);
/// The most bytes of one event.
const MAX_EVENT_BYTES: usize = 4 << 20;

/// A stream of events from a server.
pub struct EventStream {
    remote: Remote,
    filter: EventFilter,
    last: i64,
    response: Option<Response>,
    /// When to reconnect after the server closed the stream.
    reconnect_at: Option<Instant>,
    buffer: Vec<u8>,
    events: VecDeque<EventView>,
    gap: Option<Gap>,
}

/// A range of events that may be missing, because the client was away for longer than the retention
/// period.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct Gap {
    /// The missing events are after this number.
    pub after: i64,
    /// The missing events are before this number; `None` if no event is stored.
    pub from: Option<i64>,
}

impl fmt::Debug for EventStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventStream")
            .field("remote", &self.remote)
            .field("last", &self.last)
            .finish()
    }
}

impl Remote {
    /// Streams the events after this number.
    #[must_use]
    pub fn follow(&self, filter: EventFilter, after: i64) -> EventStream {
        EventStream {
            remote: self.clone(),
            filter,
            last: after,
            response: None,
            reconnect_at: None,
            buffer: Vec::new(),
            events: VecDeque::new(),
            gap: None,
        }
    }
}

impl EventStream {
    /// Waits for the next event. An event that this version cannot decode is skipped with a warning.
    ///
    /// # Errors
    /// The server is unreachable or rejects the request. A later call resumes the stream.
    pub async fn next(&mut self) -> Result<EventView, ApiError> {
        loop {
            if let Some(event) = self.events.pop_front() {
                return Ok(event);
            }
            self.receive().await?;
        }
    }

    /// Takes the gap in front of the events since the last call, if any.
    pub const fn gap(&mut self) -> Option<Gap> {
        self.gap.take()
    }

    async fn receive(&mut self) -> Result<(), ApiError> {
        let mut response = match self.response.take() {
            Some(response) => response,
            None => self.connect().await?,
        };
        let chunk = timeout(READ_TIMEOUT, response.chunk()).await.map_err(|_| self.timed_out())?;
        let address = self.remote.address();
        let chunk = chunk.map_err(|error| RequestError::no_response(address, &error).error)?;
        // A server that stops closes the stream; another one may replace it.
        let Some(chunk) = chunk else {
            self.reconnect_at = Some(Instant::now() + RECONNECT_DELAY);
            return Ok(());
        };
        self.buffer.extend_from_slice(&chunk);
        self.take_events()?;
        self.response = Some(response);
        Ok(())
    }

    async fn connect(&mut self) -> Result<Response, ApiError> {
        if let Some(time) = self.reconnect_at {
            sleep_until(time).await;
        }
        self.buffer.clear();
        let url = self.remote.address().api_url(&["events"])?;
        let request = Request::get(url).query(&self.filter)?;
        let builder = self.remote.builder(&request).header(ACCEPT, STREAM);
        let sent = timeout(READ_TIMEOUT, builder.header(LAST_EVENT_ID, self.last).send()).await;
        let sent = sent.map_err(|_| self.timed_out())?;
        let address = self.remote.address();
        let response = sent.map_err(|error| RequestError::no_response(address, &error).error)?;
        match response.status().is_success() {
            true => Ok(response),
            false => Err(RequestError::error_response(address, response, true).await.error),
        }
    }

    /// Decodes the complete events in the buffer.
    fn take_events(&mut self) -> Result<(), ApiError> {
        while let Some(end) = self.buffer.windows(2).position(|two| two == b"\n\n") {
            let event: Vec<u8> = self.buffer.drain(..end + 2).collect();
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
                    self.events.push_back(event);
                }
                Err(error) => {
                    // Resuming before it would receive it again.
                    self.last = number.unwrap_or(self.last).max(self.last);
                    tracing::warn!(target: "steadfast", number, %error, "cannot decode an event");
                }
            }
        }
        match self.buffer.len() > MAX_EVENT_BYTES {
            true => Err(self.not_an_event_stream()),
            false => Ok(()),
        }
    }

    fn timed_out(&self) -> ApiError {
        let detail = format!("the server at {} sent nothing for too long", self.remote.address());
        ApiError::new(ErrorKind::Unreachable, detail).next("retry")
    }

    fn not_an_event_stream(&self) -> ApiError {
        let detail = format!("the response of {} is not an event stream", self.remote.address());
        ApiError::new(ErrorKind::Other, detail).next("check that it is a Steadfast server")
    }
}

/// A field of an event, which a Steadfast server writes on one line. A heartbeat has none.
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

    /// O1: an event has an id and data, a heartbeat has neither.
    #[test]
    fn event_fields_are_parsed() {
        let event = b"id: 7\ndata: {\"a\":1}\n\n";
        assert_eq!(field(event, "id").and_then(number), Some(7));
        assert_eq!(field(event, "data"), Some(b"{\"a\":1}".as_slice()));
        assert_eq!(field(b"data:1\n\n", "data"), Some(b"1".as_slice()));
        assert_eq!(field(b":\n\n", "data"), None);
    }
}
