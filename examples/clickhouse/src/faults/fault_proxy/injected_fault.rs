//! The faults of a request.

use std::time::Duration;

/// What becomes of one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InjectedFault {
    /// Nothing: it is passed on, and its answer back.
    None,
    /// The connection is closed; the server never hears of it.
    DropBefore,
    /// The connection is closed in the middle of it; the server gets the first half.
    CutRequest,
    /// The server does it; the connection is closed instead of an answer.
    DropAfter,
    /// The server does it; the answer stops in the middle.
    CutAnswer,
    /// The server does it; the answer comes so much later.
    SlowAnswer(Duration),
    /// The server gets it so much later, even if whoever sent it is gone.
    LateRequest(Duration),
    /// The server never hears of it; somebody else answers with this status and, if said, with
    /// a `Retry-After` of so many seconds.
    Answer(u16, Option<u32>),
}

impl InjectedFault {
    /// One of each, as a storm has them. Slow is longer than clients wait.
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
