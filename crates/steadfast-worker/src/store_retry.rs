//! Retries of calls to the store.
//!
//! A database restarts, a file is locked, a disk is full. A worker survives all of it: it backs off
//! with full jitter, so that a fleet does not return in one wave, and then continues. Every call of a
//! worker is safe to repeat: claims and heartbeats are new each time, settlements are fenced. The log
//! says once that the store is unreachable, and once that it is back.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use metrics::counter;
use steadfast::drive::{Environment, Real, Sleeper};
use steadfast::observe::Redactor;
use steadfast::policy::Nested;
use steadfast::{Class, Jitter, Moment, Policy, retry};
use steadfast_store::{Result, StoreError};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

const POLICY: Policy = Policy::exponential(Duration::from_millis(100))
    .max_attempts(u32::MAX)
    .max_delay(Duration::from_secs(5))
    .jitter(Jitter::Full)
    .nested(Nested::Both)
    .constant();

/// Retries a call until it succeeds or the retry is stopped.
#[derive(Clone, Debug)]
pub(crate) struct StoreRetry {
    stop: CancellationToken,
    unreachable: Arc<AtomicBool>,
}

impl StoreRetry {
    /// Retries until `stop` is cancelled.
    pub(crate) fn until(stop: CancellationToken) -> Self {
        Self { stop, unreachable: Arc::default() }
    }

    /// The same store, retried until this retry is [stopped](Self::stop).
    pub(crate) fn until_stopped(&self) -> Self {
        Self { stop: CancellationToken::new(), unreachable: self.unreachable.clone() }
    }

    pub(crate) fn stop(&self) {
        self.stop.cancel();
    }

    /// The store's answer, or `None` if there was none before the stop. A call in flight is always
    /// awaited, since it may have taken effect.
    pub(crate) async fn call<T, Fut: Future<Output = Result<T>>>(
        &self,
        operation: &'static str,
        call: impl FnMut() -> Fut,
    ) -> Option<T> {
        self.call_while(|_| true, operation, call).await?.ok()
    }

    /// The same for errors that are worth a retry; any other is returned.
    pub(crate) async fn call_retryable<T, Fut: Future<Output = Result<T>>>(
        &self,
        operation: &'static str,
        call: impl FnMut() -> Fut,
    ) -> Option<Result<T>> {
        self.call_while(StoreError::is_retryable, operation, call).await
    }

    async fn call_while<T, Fut: Future<Output = Result<T>>>(
        &self,
        should_retry: fn(&StoreError) -> bool,
        operation: &'static str,
        mut call: impl FnMut() -> Fut,
    ) -> Option<Result<T>> {
        let mut first = true;
        let attempt = || {
            let proceed = std::mem::take(&mut first) || !self.stop.is_cancelled();
            let call = proceed.then(&mut call);
            async move {
                let Some(call) = call else {
                    return Ok(None);
                };
                match call.await {
                    Err(error) if should_retry(&error) => Err(error),
                    answer => Ok(Some(answer)),
                }
            }
        };
        let answer = retry(&POLICY, attempt)
            .judge(|_| Some(Class::Retryable))
            .environment(StoppableSleep(&self.stop))
            .named(operation)
            .on_retry(|failed, _| self.log_unreachable(operation, &failed.fault().to_string()))
            .await;
        let answer = answer.ok().flatten();
        if answer.is_some() {
            self.log_reachable();
        }
        answer
    }

    fn log_unreachable(&self, operation: &'static str, error: &str) {
        counter!("steadfast_store_failures_total", "operation" => operation).increment(1);
        if !self.unreachable.swap(true, Ordering::Relaxed) {
            warn!(
                target: "steadfast",
                operation,
                error = %Redactor::installed().text(error),
                "store unreachable: retrying"
            );
        }
    }

    fn log_reachable(&self) {
        let unreachable = &self.unreachable;
        if unreachable.load(Ordering::Relaxed) && unreachable.swap(false, Ordering::Relaxed) {
            info!(target: "steadfast", "store reachable again");
        }
    }
}

/// The real environment, with sleeps that end when the retry is stopped.
struct StoppableSleep<'p>(&'p CancellationToken);

impl<'p> Environment for StoppableSleep<'p> {
    type Sleep = Pin<Box<dyn Future<Output = ()> + Send + 'p>>;

    fn now(&self) -> Moment {
        Real.now()
    }
}

impl Sleeper for StoppableSleep<'_> {
    fn sleep(&self, delay: Duration) -> Self::Sleep {
        let stop = self.0;
        Box::pin(async move {
            stop.run_until_cancelled(sleep(delay)).await;
        })
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use steadfast_store::InputError;

    use super::*;

    fn error() -> StoreError {
        InputError::new("lease", "is a test's").into()
    }

    /// K4: a worker backs off from an unreachable database and recovers without a restart.
    #[tokio::test(start_paused = true)]
    async fn unreachable_store_is_retried_until_it_answers() {
        let store_retry = StoreRetry::until(CancellationToken::new());
        let calls = Cell::new(0);
        let answer = store_retry
            .call("a test", || {
                calls.set(calls.get() + 1);
                std::future::ready(if calls.get() < 50 { Err(error()) } else { Ok(7) })
            })
            .await;
        assert_eq!((answer, calls.get()), (Some(7), 50));
        assert!(!store_retry.unreachable.load(Ordering::Relaxed));
    }

    /// D13: a stopping worker does not wait for an unreachable store.
    #[tokio::test(start_paused = true)]
    async fn stopped_retry_returns_nothing() {
        let stop = CancellationToken::new();
        let store_retry = StoreRetry::until(stop.clone());
        let unreachable = || {
            stop.cancel();
            std::future::ready(Err::<(), _>(error()))
        };
        assert_eq!(store_retry.call("a test", unreachable).await, None);
    }

    #[tokio::test(start_paused = true)]
    async fn permanent_error_is_returned() {
        let store_retry = StoreRetry::until(CancellationToken::new());
        let answer = store_retry
            .call_retryable("a test", || std::future::ready(Err::<(), _>(error())))
            .await;
        assert!(matches!(answer, Some(Err(StoreError::Invalid(_)))));
    }
}
