//! The dispatch of the store's notifications to the parts of the worker (D11).

use std::sync::Arc;

use steadfast_store::{Listener, Wake};

use crate::maintenance::DueSignal;
use crate::state::WorkerState;

/// Dispatches notifications until it is dropped.
pub(crate) async fn run(state: Arc<WorkerState>, mut listener: Listener, due: DueSignal) {
    loop {
        match listener.next().await {
            Wake::Ready => state.tasks_pending.notify_one(),
            Wake::Due(time) => due.notify(time),
            Wake::Cancelled(task) => state.cancel_tasks(|id, _| id == task).await,
            Wake::Breakers => state.breakers_changed.notify_one(),
            // A newer kind of notification may mean pending tasks.
            _ => state.tasks_pending.notify_one(),
        }
    }
}
