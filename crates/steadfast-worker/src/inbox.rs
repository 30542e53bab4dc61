//! Batches of whatever has come in.
//!
//! Nothing waits for others on purpose: whoever is idle gets a single one at once, and what comes
//! in while it is busy is its next batch.

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

#[derive(Debug)]
pub(crate) struct Inbox<T> {
    pub(crate) receiver: mpsc::Receiver<T>,
    /// No more will come.
    pub(crate) ends: CancellationToken,
}

impl<T> Inbox<T> {
    /// The next ones, at most so many; none when there will be no more.
    pub(crate) async fn next(&mut self, batch: &mut Vec<T>, most: usize) -> bool {
        batch.clear();
        while batch.is_empty() {
            tokio::select! {
                biased;
                count = self.receiver.recv_many(batch, most) => if count == 0 {
                    return false;
                },
                () = self.ends.cancelled(), if !self.receiver.is_closed() => self.receiver.close(),
            }
        }
        // Those who are about to hand theirs in are let in.
        tokio::task::yield_now().await;
        while batch.len() < most
            && let Ok(another) = self.receiver.try_recv()
        {
            batch.push(another);
        }
        true
    }
}
