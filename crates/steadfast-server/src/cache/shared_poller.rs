//! A poller shared by all subscribers, running only while there are any.
//!
//! A new subscriber starts the poller if none runs; before every poll, the poller stops if no subscriber
//! is left. Both decisions are made under one lock, so there is always exactly one poller while there are
//! subscribers. A poller that panics counts as stopped.

use std::sync::{Arc, Mutex};

use crate::lock::lock;

/// A poller of which at most one runs at a time.
#[derive(Debug, Default)]
pub(crate) struct SharedPoller {
    is_running: Arc<Mutex<bool>>,
}

impl SharedPoller {
    /// Adds a subscriber, and starts the poller if none runs.
    pub(crate) fn subscribe<T, P>(
        &self,
        subscribe: impl FnOnce() -> T,
        poll: impl FnOnce(PollGuard) -> P,
    ) -> T
    where
        P: Future<Output = ()> + Send + 'static,
    {
        let mut is_running = lock(&self.is_running);
        let subscriber = subscribe();
        if !std::mem::replace(&mut *is_running, true) {
            tokio::spawn(poll(PollGuard {
                is_running: self.is_running.clone(),
                is_stopped: false,
            }));
        }
        subscriber
    }
}

/// Marks the poller as running until it stops or is dropped.
pub(crate) struct PollGuard {
    is_running: Arc<Mutex<bool>>,
    /// Whether another poller may be running.
    is_stopped: bool,
}

impl PollGuard {
    /// Whether the poller continues. If not, it counts as stopped.
    pub(crate) fn keep_polling(&mut self, has_subscribers: impl FnOnce() -> bool) -> bool {
        let mut is_running = lock(&self.is_running);
        *is_running = has_subscribers();
        self.is_stopped = !*is_running;
        *is_running
    }
}

impl Drop for PollGuard {
    fn drop(&mut self) {
        if !self.is_stopped {
            *lock(&self.is_running) = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::pending;

    use super::*;

    async fn poll_forever(guard: PollGuard) {
        let _guard = guard;
        pending().await
    }

    /// H2: one poller serves all subscribers.
    #[tokio::test]
    async fn subscribers_share_one_poller() {
        let (poller, mut started) = (SharedPoller::default(), 0);
        for _ in 0..3 {
            poller.subscribe(
                || (),
                |guard| {
                    started += 1;
                    poll_forever(guard)
                },
            );
        }
        assert_eq!(started, 1);
    }

    /// H2: a poller without subscribers stops, and the next subscriber starts another.
    #[tokio::test]
    async fn stopped_poller_is_restarted_by_next_subscriber() {
        let poller = SharedPoller::default();
        let (stopped, mut stops) = tokio::sync::mpsc::unbounded_channel();
        for _ in 0..2 {
            let stopped = stopped.clone();
            poller.subscribe(
                || (),
                async move |mut guard: PollGuard| {
                    assert!(guard.keep_polling(|| true) && !guard.keep_polling(|| false));
                    stopped.send(()).unwrap();
                    poll_forever(guard).await;
                },
            );
            stops.recv().await.unwrap();
        }
    }

    /// K4: a panic stops the poller without blocking a restart.
    #[tokio::test]
    async fn panicking_poller_counts_as_stopped() {
        let poller = SharedPoller::default();
        poller.subscribe(
            || (),
            async |guard: PollGuard| {
                let _guard = guard;
                panic!("bug");
            },
        );
        while *lock(&poller.is_running) {
            tokio::task::yield_now().await;
        }
    }
}
