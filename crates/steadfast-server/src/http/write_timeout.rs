//! A stream with a write timeout.
//!
//! A client that requests something large and never reads it would hold a connection, and the buffered
//! response, forever. A limit on the total time would cut off event streams and slow downloads, so the
//! timeout covers stalled writes only and restarts with every byte written.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

pub(super) struct WriteTimeout<S> {
    stream: S,
    write_timeout: Duration,
    /// Set while a write is stalled.
    deadline: Option<Pin<Box<Sleep>>>,
}

impl<S> WriteTimeout<S> {
    pub(super) const fn new(stream: S, write_timeout: Duration) -> Self {
        Self { stream, write_timeout, deadline: None }
    }

    /// The result of a write, or an error once writes have stalled for too long.
    fn check<T>(
        &mut self,
        context: &mut Context<'_>,
        written: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.deadline = None;
            return written;
        }
        let write_timeout = self.write_timeout;
        let deadline = self.deadline.get_or_insert_with(|| Box::pin(sleep(write_timeout)));
        ready!(deadline.as_mut().poll(context));
        Poll::Ready(Err(io::Error::new(
            io::ErrorKind::TimedOut,
            "write timed out: the client does not read the response",
        )))
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
        self.check(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, bytes);
        self.check(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let written = Pin::new(&mut self.stream).poll_flush(context);
        match written.is_ready() {
            // A completed flush is no progress: a socket never has anything to flush.
            true => written,
            false => self.check(context, written),
        }
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let written = Pin::new(&mut self.stream).poll_shutdown(context);
        self.check(context, written)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};
    use tokio::time::{Instant, advance};

    use super::*;

    const WRITE_TIMEOUT: Duration = Duration::from_secs(60);

    /// K4: a stalled write fails.
    #[tokio::test(start_paused = true)]
    async fn stalled_write_times_out() {
        let (here, _there) = duplex(16);
        let began = Instant::now();
        let mut stream = WriteTimeout::new(here, WRITE_TIMEOUT);
        let broken = stream.write_all(&[0; 64]).await.unwrap_err();
        assert_eq!((broken.kind(), began.elapsed()), (io::ErrorKind::TimedOut, WRITE_TIMEOUT));
    }

    /// K4: a slow reader is served for as long as it takes.
    #[tokio::test(start_paused = true)]
    async fn slow_reader_does_not_time_out() {
        let (here, mut there) = duplex(16);
        let reading = tokio::spawn(async move {
            let mut read = 0;
            while read < 320 {
                advance(WRITE_TIMEOUT / 2).await;
                read += there.read(&mut [0; 16]).await.unwrap();
            }
        });
        let began = Instant::now();
        WriteTimeout::new(here, WRITE_TIMEOUT).write_all(&[0; 320]).await.unwrap();
        reading.await.unwrap();
        assert!(began.elapsed() > 5 * WRITE_TIMEOUT);
    }

    /// H1: an idle event stream is not stalled.
    #[tokio::test(start_paused = true)]
    async fn idle_stream_does_not_time_out() {
        let (here, mut there) = duplex(16);
        let mut stream = WriteTimeout::new(here, WRITE_TIMEOUT);
        stream.write_all(&[0; 16]).await.unwrap();
        advance(10 * WRITE_TIMEOUT).await;
        there.read_exact(&mut [0; 16]).await.unwrap();
        stream.write_all(&[0; 16]).await.unwrap();
    }
}
