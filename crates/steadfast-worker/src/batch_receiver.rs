//! The receiving end of a channel that yields batches.
//!
//! It never waits for a batch to fill: an idle receiver gets a single item at once, and what arrives
//! while the receiver is busy is its next batch.

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

#[derive(Debug)]
pub(crate) struct BatchReceiver<T> {
    pub(crate) receiver: mpsc::Receiver<T>,
    /// Cancelled when no more items will come.
    pub(crate) closed: CancellationToken,
}

impl<T> BatchReceiver<T> {
    /// Receives the next batch of at most `max` items; `false` when no more will come.
    pub(crate) async fn next_batch(&mut self, batch: &mut Vec<T>, max: usize) -> bool {
        batch.clear();
        while batch.is_empty() {
            tokio::select! {
                biased;
                count = self.receiver.recv_many(batch, max) => if count == 0 {
                    return false;
                },
                () = self.closed.cancelled(), if !self.receiver.is_closed() => self.receiver.close(),
            }
        }
        // Lets senders that are about to send join this batch.
        tokio::task::yield_now().await;
        while batch.len() < max
            && let Ok(item) = self.receiver.try_recv()
        {
            batch.push(item);
        }
        true
    }
}
