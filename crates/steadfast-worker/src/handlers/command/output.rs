//! What a program writes, as much as is worth keeping.
//!
//! A program may write more than there is memory, and must not be stopped by a full pipe. So
//! everything is read, and of each stream only the end is kept: that is where a program says what
//! came of it.

use std::collections::VecDeque;
use std::io;

use tokio::io::{AsyncRead, AsyncReadExt};

/// How much is read at a time.
const CHUNK: usize = 16 * 1024;

/// The end of a stream.
#[derive(Debug)]
pub(super) struct Tail {
    bytes: VecDeque<u8>,
    limit: usize,
    dropped: bool,
}

impl Tail {
    pub(super) fn of_at_most(limit: usize) -> Self {
        Self { bytes: VecDeque::new(), limit, dropped: false }
    }

    /// Reads a stream to its end.
    pub(super) async fn read(&mut self, stream: Option<impl AsyncRead + Unpin>) -> io::Result<()> {
        let Some(mut stream) = stream else {
            return Ok(());
        };
        let mut chunk = vec![0; CHUNK];
        loop {
            let length = stream.read(&mut chunk).await?;
            if length == 0 {
                return Ok(());
            }
            self.push(chunk.get(..length).unwrap_or_default());
        }
    }

    fn push(&mut self, chunk: &[u8]) {
        self.bytes.extend(chunk);
        let excess = self.bytes.len().saturating_sub(self.limit);
        self.dropped |= excess > 0;
        self.bytes.drain(..excess);
    }

    /// What was kept, and whether that is all.
    pub(super) fn into_parts(self) -> (Vec<u8>, bool) {
        (self.bytes.into(), !self.dropped)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// D19: of a stream the end is kept, whatever the pieces it comes in.
    #[test]
    fn the_end_of_a_stream_is_kept() {
        let mut tail = Tail::of_at_most(4);
        tail.push(b"ab");
        tail.push(b"cd");
        assert!(!tail.dropped);
        tail.push(b"e");
        assert_eq!(tail.into_parts(), (b"bcde".to_vec(), false));

        let mut tail = Tail::of_at_most(4);
        tail.push(b"abcdefgh");
        assert_eq!(tail.into_parts(), (b"efgh".to_vec(), false));
    }
}
