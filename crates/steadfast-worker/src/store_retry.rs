//! Asking a store that may be away.
//!
//! A database restarts, a file is locked, a disk is full. None of it is a reason for a worker to
//! end: it waits, with full jitter so that a fleet does not come back as one wave, and goes on
//! where it was. Everything that a worker asks may be asked twice: claims and heartbeats are
//! new each time, settlements are fenced. The log says once that the store is away, and once
//! that it is back.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use metrics::counter;
use steadfast::drive::{Environment, EventKind, Real, Sleeper};
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

/// Asks until there is an answer, or until nobody needs it any more.
#[derive(Clone, Debug)]
pub(crate) struct Patience {
    ends: CancellationToken,
    away: Arc<AtomicBool>,
}

impl Patience {
    /// It ends with this.
    pub(crate) fn until(ends: CancellationToken) -> Self {
        Self { ends, away: Arc::default() }
    }

    /// The same store, asked until something else ends it.
    pub(crate) fn but_until(&self, ends: CancellationToken) -> Self {
        Self { ends, away: self.away.clone() }
    }

    /// The store's answer. Nothing if it did not answer before the end; a call that is under way
    /// is always awaited, as it may have taken effect.
    pub(crate) async fn ask<T, Fut>(
        &self,
        what: &'static str,
        call: impl FnMut() -> Fut,
    ) -> Option<T>
    where
        Fut: Future<Output = Result<T>>,
    {
        self.ask_while(|_| true, what, call).await?.ok()
    }

    /// The same, while an error is worth waiting for; any other one is an answer.
    pub(crate) async fn ask_while<T, Fut>(
        &self,
        worth_waiting: impl Fn(&StoreError) -> bool,
        what: &'static str,
        mut call: impl FnMut() -> Fut,
    ) -> Option<Result<T>>
    where
        Fut: Future<Output = Result<T>>,
    {
        let mut first = true;
        let attempt = || {
            let goes_on = std::mem::take(&mut first) || !self.ends.is_cancelled();
            let (call, worth_waiting) = (goes_on.then(&mut call), &worth_waiting);
            async move {
                let Some(call) = call else {
                    return Ok(None);
                };
                match call.await {
                    Err(error) if worth_waiting(&error) => Err(error),
                    answer => Ok(Some(answer)),
                }
            }
        };
        let answer = retry(&POLICY, attempt)
            .judge(|_| Some(Class::Retryable))
            .environment(Waits(&self.ends))
            .named(what)
            .on_retry(|happening| {
                if let EventKind::Retrying { fault, .. } = happening.kind {
                    self.is_away(what, &fault.to_string());
                }
            })
            .await;
        let answer = answer.ok().flatten();
        if answer.is_some() {
            self.is_back();
        }
        answer
    }

    fn is_away(&self, what: &'static str, error: &str) {
        counter!("steadfast_store_failures_total", "asked" => what).increment(1);
        if !self.away.swap(true, Ordering::Relaxed) {
            warn!(
                target: "steadfast",
                operation = what,
                error = %Redactor::installed().text(error),
                "the store does not answer: trying until it does"
            );
        }
    }

    fn is_back(&self) {
        if self.away.load(Ordering::Relaxed) && self.away.swap(false, Ordering::Relaxed) {
            info!(target: "steadfast", "the store answers again");
        }
    }
}

/// The real world, in which a wait is over when the patience is.
struct Waits<'p>(&'p CancellationToken);

impl Environment for Waits<'_> {
    fn now(&self) -> Moment {
        Real.now()
    }
}

impl<'p> Sleeper for Waits<'p> {
    type Sleep = Pin<Box<dyn Future<Output = ()> + Send + 'p>>;

    fn sleep(&self, delay: Duration) -> Self::Sleep {
        let ends = self.0;
        Box::pin(async move {
            tokio::select! {
                () = sleep(delay) => {}
                () = ends.cancelled() => {}
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use steadfast_store::Invalid;

    use super::*;

    fn refused() -> StoreError {
        Invalid::new("lease", "is a test's").into()
    }

    /// K4: a gone database gets back-off and recovery without a restart.
    #[tokio::test(start_paused = true)]
    async fn a_store_that_is_away_is_asked_until_it_answers() {
        let patience = Patience::until(CancellationToken::new());
        let calls = Cell::new(0);
        let answer = patience
            .ask("a test", || {
                calls.set(calls.get() + 1);
                std::future::ready(if calls.get() < 50 { Err(refused()) } else { Ok(7) })
            })
            .await;
        assert_eq!((answer, calls.get()), (Some(7), 50));
        assert!(!patience.away.load(Ordering::Relaxed));
    }

    /// D13: a worker that stops does not wait for a store that is away.
    #[tokio::test(start_paused = true)]
    async fn nobody_waits_past_the_end() {
        let ends = CancellationToken::new();
        let patience = Patience::until(ends.clone());
        let away = || {
            ends.cancel();
            std::future::ready(Err::<(), _>(refused()))
        };
        assert_eq!(patience.ask("a test", away).await, None);
    }

    #[tokio::test(start_paused = true)]
    async fn an_error_that_will_not_pass_is_an_answer() {
        let patience = Patience::until(CancellationToken::new());
        let answer = patience
            .ask_while(StoreError::is_passing, "a test", || {
                std::future::ready(Err::<(), _>(refused()))
            })
            .await;
        assert!(matches!(answer, Some(Err(StoreError::Invalid(_)))));
    }
}
