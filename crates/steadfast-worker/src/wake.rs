//! Hearing that there is something to do (D11).

use std::sync::Arc;

use steadfast_store::{Listener, Wake};

use crate::maintenance::Due;
use crate::shared::Shared;

/// Passes wake-ups on to whom they concern. Goes on until it is dropped.
pub(crate) async fn run(shared: Arc<Shared>, mut listener: Listener, due: Due) {
    loop {
        match listener.next().await {
            Wake::Ready => shared.ready.notify_one(),
            Wake::Due(time) => due.tell(time),
            Wake::Cancelled(task) => {
                shared.running.call_off(|id, _| id == task);
                let waiting = shared.prefetch.remove(|id, _| id == task);
                shared.release(waiting).await;
            }
            Wake::Breakers => shared.breakers.notify_one(),
            // Something that this version knows nothing of may be work.
            _ => shared.ready.notify_one(),
        }
    }
}
