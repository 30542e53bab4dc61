//! The faults of a request.

use std::time::Duration;

/// The fault injected into one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InjectedFault {
    /// None: the request and its response are forwarded.
    None,
    /// The connection is closed before the request reaches the server.
    DropBefore,
    /// The connection is closed in the middle of the request; the server gets the first half.
    CutRequest,
    /// The server processes the request; the connection is closed without a response.
    DropAfter,
    /// The server processes the request; the response is cut in the middle.
    CutAnswer,
    /// The server processes the request; the response is delayed.
    SlowAnswer(Duration),
    /// The request is delayed, and reaches the server even if the client has disconnected.
    LateRequest(Duration),
    /// The proxy responds with this status and an optional `Retry-After` in seconds; the request
    /// does not reach the server.
    Answer(u16, Option<u32>),
}

impl InjectedFault {
    /// One of each, for random faults. The delay is longer than the clients' timeout.
    pub const ALL: [Self; 7] = [
        Self::DropBefore,
        Self::CutRequest,
        Self::DropAfter,
        Self::CutAnswer,
        Self::SlowAnswer(Duration::from_secs(3)),
        Self::Answer(503, None),
        Self::Answer(429, Some(1)),
    ];
}
