//! A connection whose other end reads.
//!
//! Whoever asks for something large and never reads it would hold a connection, and all that
//! waits to be sent, for as long as they like. A limit on the whole time would cut off streams of
//! events and slow downloads, so there is one on standing still: each byte that goes out begins
//! the wait anew.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

/// A stream that breaks when nothing can be written to it for too long.
pub(super) struct WriteTimeout<S> {
    stream: S,
    within: Duration,
    /// There is one while something waits to be written: most never wait.
    standstill: Option<Pin<Box<Sleep>>>,
}

impl<S> WriteTimeout<S> {
    pub(super) const fn new(stream: S, within: Duration) -> Self {
        Self { stream, within, standstill: None }
    }

    /// What came of a write: an error if there was no other for too long.
    fn came<T>(
        &mut self,
        context: &mut Context<'_>,
        written: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.standstill = None;
            return written;
        }
        let within = self.within;
        let standstill = self.standstill.get_or_insert_with(|| Box::pin(sleep(within)));
        ready!(standstill.as_mut().poll(context));
        Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "nobody reads the answer")))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for WriteTimeout<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, into)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for WriteTimeout<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.came(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, bytes);
        self.came(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let written = Pin::new(&mut self.stream).poll_flush(context);
        match written.is_ready() {
            // To have nothing to flush is no progress: a socket never has.
            true => written,
            false => self.came(context, written),
        }
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let written = Pin::new(&mut self.stream).poll_shutdown(context);
        self.came(context, written)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};
    use tokio::time::{Instant, advance};

    use super::*;

    const WITHIN: Duration = Duration::from_secs(60);

    /// K4: what nobody reads is given up.
    #[tokio::test(start_paused = true)]
    async fn a_stream_that_stands_still_breaks() {
        let (here, _there) = duplex(16);
        let began = Instant::now();
        let mut stream = WriteTimeout::new(here, WITHIN);
        let broken = stream.write_all(&[0; 64]).await.unwrap_err();
        assert_eq!((broken.kind(), began.elapsed()), (io::ErrorKind::TimedOut, WITHIN));
    }

    /// K4: whoever reads slowly is served for as long as it takes.
    #[tokio::test(start_paused = true)]
    async fn a_stream_that_moves_goes_on() {
        let (here, mut there) = duplex(16);
        let reading = tokio::spawn(async move {
            let mut read = 0;
            while read < 320 {
                advance(WITHIN / 2).await;
                read += there.read(&mut [0; 16]).await.unwrap();
            }
        });
        let began = Instant::now();
        WriteTimeout::new(here, WITHIN).write_all(&[0; 320]).await.unwrap();
        reading.await.unwrap();
        assert!(began.elapsed() > 5 * WITHIN);
    }

    /// H1: silence is not standing still: a stream of events may have nothing to tell.
    #[tokio::test(start_paused = true)]
    async fn a_stream_with_nothing_to_write_goes_on() {
        let (here, mut there) = duplex(16);
        let mut stream = WriteTimeout::new(here, WITHIN);
        stream.write_all(&[0; 16]).await.unwrap();
        advance(10 * WITHIN).await;
        there.read_exact(&mut [0; 16]).await.unwrap();
        stream.write_all(&[0; 16]).await.unwrap();
    }
}
