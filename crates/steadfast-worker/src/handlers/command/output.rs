//! The captured output of a program: the tail of each stream.
//!
//! A program may write more than fits into memory, and must not block on a full pipe. So everything is
//! read, and only the end of each stream is stored, where a program usually reports its result.

use std::collections::VecDeque;
use std::io;

use tokio::io::{AsyncRead, AsyncReadExt};

const READ_BUFFER_BYTES: usize = 16 * 1024;

/// The end of a stream.
#[derive(Debug)]
pub(super) struct Tail {
    bytes: VecDeque<u8>,
    limit: usize,
    dropped: bool,
}

impl Tail {
    pub(super) fn with_limit(limit: usize) -> Self {
        Self { bytes: VecDeque::new(), limit, dropped: false }
    }

    /// Reads a stream to its end.
    pub(super) async fn read(&mut self, stream: Option<impl AsyncRead + Unpin>) -> io::Result<()> {
        let Some(mut stream) = stream else {
            return Ok(());
        };
        let mut chunk = vec![0; READ_BUFFER_BYTES];
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

    /// The stored bytes, and whether they are all.
    pub(super) fn into_parts(self) -> (Vec<u8>, bool) {
        (self.bytes.into(), !self.dropped)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// D19: the end of a stream is stored, whatever the chunks it comes in.
    #[test]
    fn stream_beyond_the_limit_is_cut_at_the_front() {
        let mut tail = Tail::with_limit(4);
        tail.push(b"ab");
        tail.push(b"cd");
        assert!(!tail.dropped);
        tail.push(b"e");
        assert_eq!(tail.into_parts(), (b"bcde".to_vec(), false));

        let mut tail = Tail::with_limit(4);
        tail.push(b"abcdefgh");
        assert_eq!(tail.into_parts(), (b"efgh".to_vec(), false));
    }
}
