//! The driver that is a future.
//!
//! A session that succeeds at once is polled by a few instructions that know
//! nothing else. Whatever more there is to a session, its trail, its timers and
//! its questions, lives in a box that is made when the first attempt has failed
//! or when the policy needs it from the start, and goes through these steps:
//!
//! ```text
//!   start ─▶ attempt ── failed ─▶ judge ──────────────▶ settle ─▶ give up
//!     ▲         │                   │ unknown outcome    ▲ │
//!     │         ▼                   ▼                    │ │ retry after d
//!     │      success ◀─ it did ─ probe ── it did not ────┘ │
//!     └───────────────────────────── delay ◀───────────────┘
//! ```

use std::future::{Future, IntoFuture};
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use pin_project_lite::pin_project;

use super::Attempt;
use super::environment::Sleeper;
use super::error::RetryError;
use super::instrument::Instrument;
use super::judges::{Facts, Judges, Overrule, Values};
use super::nested::Scope;
use super::operation::Operation;
use super::probe::{Effect, Probe};
use super::report::{Outcome, Report};
use super::retry::Retry;
use super::session::{Bad, Setup, Start, Trail, starts_plainly, succeed_at_once};
use crate::Class;
use crate::guard::Rejection;
use crate::judge::Judgement;

pin_project! {
    /// A session under way.
    #[must_use = "futures do nothing unless awaited"]
    #[project = Session]
    pub struct RetryFuture<'a, M, Op, F, V, O, G, Z, P, R>
    where
        Op: Operation<M>,
        O: Overrule,
        G: Instrument,
        Z: Sleeper,
        P: Probe<Op::Value>,
    {
        setup: Setup<'a, Judges<F, V, O>, G, Z>,
        operation: Op,
        probe: P,
        #[pin]
        attempt: Slot<Op::Future>,
        // What a session that succeeds at once has no need of.
        slow: Option<Pin<Box<Slow<Z::Sleep, P::Future, Op::Value, Op::Error>>>>,
        outcome: PhantomData<fn() -> (R, M)>,
    }

    impl<M, Op, F, V, O, G, Z, P, R> PinnedDrop for RetryFuture<'_, M, Op, F, V, O, G, Z, P, R>
    where
        Op: Operation<M>,
        O: Overrule,
        G: Instrument,
        Z: Sleeper,
        P: Probe<Op::Value>,
    {
        fn drop(this: Pin<&mut Self>) {
            let this = this.project();
            match (&*this.attempt, this.slow) {
                (Slot::Ended, _) | (Slot::Empty, None) => {}
                (_, slow) => this.setup.dropped(slow.as_mut().map(|slow| slow.as_mut().project().trail)),
            }
        }
    }
}

pin_project! {
    #[project = SlotProjection]
    enum Slot<Fut> {
        /// No attempt is under way.
        Empty,
        Running { #[pin] attempt: Fut },
        /// The session has returned.
        Ended,
    }
}

pin_project! {
    #[project = SlowProjection]
    struct Slow<S, Q, T, E> {
        trail: Trail<E>,
        #[pin]
        wait: Wait<S, Q, T, E>,
    }
}

pin_project! {
    /// What is waited for, beside or between attempts.
    #[project = WaitProjection]
    enum Wait<S, Q, T, E> {
        Nothing,
        Limit { #[pin] sleep: S },
        Delay { #[pin] sleep: S },
        Answer { #[pin] question: Q, failure: Option<(Bad<T, E>, Judgement)> },
    }
}

/// What a session of this operation returns.
type End<Op, M, V, R> = Result<
    <R as Outcome<<Op as Operation<M>>::Value>>::Output,
    RetryError<<Op as Operation<M>>::Error, <V as Values<<Op as Operation<M>>::Value>>::Kept>,
>;

impl<'a, Op, M, F, V, O, G, Z, P, R> IntoFuture for Retry<'a, Op, M, Judges<F, V, O>, G, Z, P, R>
where
    Op: Operation<M>,
    F: Facts<Op::Error>,
    V: Values<Op::Value>,
    O: Overrule,
    G: Instrument,
    Z: Sleeper,
    P: Probe<Op::Value>,
    R: Outcome<Op::Value>,
{
    type Output = End<Op, M, V, R>;
    type IntoFuture = RetryFuture<'a, M, Op, F, V, O, G, Z, P, R>;

    #[inline]
    fn into_future(self) -> Self::IntoFuture {
        RetryFuture {
            setup: self.setup,
            operation: self.operation,
            probe: self.probe,
            attempt: Slot::Empty,
            slow: None,
            outcome: PhantomData,
        }
    }
}

impl<M, Op, F, V, O, G, Z, P, R> Future for RetryFuture<'_, M, Op, F, V, O, G, Z, P, R>
where
    Op: Operation<M>,
    F: Facts<Op::Error>,
    V: Values<Op::Value>,
    O: Overrule,
    G: Instrument,
    Z: Sleeper,
    P: Probe<Op::Value>,
    R: Outcome<Op::Value>,
{
    type Output = End<Op, M, V, R>;

    #[inline(always)]
    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.as_mut().project();
        if this.setup.environment.poll_cancelled(context).is_ready() {
            return Poll::Ready(Err(self.cancel()));
        }
        if this.slow.is_some() {
            return self.persist(None, context);
        }
        if matches!(*this.attempt, Slot::Empty) {
            let Setup { policy, instruments, environment, key, .. } = this.setup;
            if !starts_plainly::<R, _>(policy, instruments) {
                return self.persist(Some(Start::Anew), context);
            }
            if let Err(rejection) = instruments.before_attempt(|| environment.now()) {
                return self.persist(Some(Start::Rejected(rejection)), context);
            }
            let attempt = this.operation.start(|| Attempt::first(key));
            this.attempt.set(Slot::Running { attempt });
        }
        let SlotProjection::Running { attempt } = this.attempt.as_mut().project() else {
            return Poll::Pending;
        };
        let scope = Scope::plain();
        let polled = attempt.poll(context);
        drop(scope);
        match this.setup.judges.examine(ready!(polled)) {
            Ok(value) => {
                let Setup { policy, instruments, environment, operation, .. } = this.setup;
                succeed_at_once(policy, *operation, instruments, environment);
                this.attempt.set(Slot::Ended);
                Poll::Ready(Ok(R::of(value, Report::default)))
            }
            Err(bad) => self.persist(Some(Start::Failed(bad)), context),
        }
    }
}

impl<M, Op, F, V, O, G, Z, P, R> RetryFuture<'_, M, Op, F, V, O, G, Z, P, R>
where
    Op: Operation<M>,
    F: Facts<Op::Error>,
    V: Values<Op::Value>,
    O: Overrule,
    G: Instrument,
    Z: Sleeper,
    P: Probe<Op::Value>,
    R: Outcome<Op::Value>,
{
    #[cold]
    fn cancel(self: Pin<&mut Self>) -> RetryError<Op::Error, V::Kept> {
        let mut this = self.project();
        this.attempt.set(Slot::Ended);
        let trail = this.slow.as_mut().map(|slow| slow.as_mut().project().trail);
        this.setup.cancelled::<Op::Value, _>(trail)
    }

    /// Goes on from wherever the session stands, as far as it can.
    #[cold]
    #[inline(never)]
    fn persist(
        mut self: Pin<&mut Self>,
        start: Option<Start<Op::Value, Op::Error>>,
        context: &mut Context<'_>,
    ) -> Poll<End<Op, M, V, R>> {
        let mut this = self.as_mut().project();
        let (mut slow, mut step) = match (this.slow.take(), start) {
            (Some(slow), _) => (slow, Step::Advance),
            (None, start) => {
                let start = start.unwrap_or(Start::Anew);
                let trail = this.setup.trail(&start);
                let slow = Box::pin(Slow { trail, wait: Wait::Nothing });
                (slow, Step::from(start))
            }
        };
        loop {
            let at = slow.as_mut().project();
            step = match step {
                Step::Advance => match this.advance(at, context) {
                    Poll::Ready(step) => step,
                    Poll::Pending => {
                        *this.slow = Some(slow);
                        return Poll::Pending;
                    }
                },
                Step::Start => this.start(at),
                Step::Judge(bad) => this.judge(at, bad),
                Step::Settle(bad, judgement) => this.settle(at, bad, judgement),
                Step::Reject(rejection) => {
                    Step::GiveUp(this.setup.rejected::<Op::Value, _>(at.trail, &rejection))
                }
                Step::Succeed(value) => {
                    this.attempt.set(Slot::Ended);
                    this.setup.succeeded(at.trail);
                    return Poll::Ready(Ok(R::of(value, || this.setup.report(at.trail))));
                }
                Step::GiveUp(error) => {
                    this.attempt.set(Slot::Ended);
                    return Poll::Ready(Err(error));
                }
            };
        }
    }
}

impl<'pin, M, Op, F, V, O, G, Z, P, R> Session<'pin, '_, M, Op, F, V, O, G, Z, P, R>
where
    Op: Operation<M>,
    F: Facts<Op::Error>,
    V: Values<Op::Value>,
    O: Overrule,
    G: Instrument,
    Z: Sleeper,
    P: Probe<Op::Value>,
{
    /// Polls what the session waits for.
    #[inline]
    fn advance(
        &mut self,
        at: At<'_, Op, M, Z, P>,
        context: &mut Context<'_>,
    ) -> Poll<Next<Op, M, V>> {
        if let SlotProjection::Running { attempt } = self.attempt.as_mut().project() {
            let scope = Scope::enter(self.setup.policy, at.trail.progress());
            let polled = attempt.poll(context);
            at.trail.note_retried_inside(scope.end());
            if let Poll::Ready(result) = polled {
                return Poll::Ready(match self.setup.judges.examine(result) {
                    Ok(value) => Step::Succeed(value),
                    Err(bad) => Step::Judge(bad),
                });
            }
        }
        match at.wait.project() {
            WaitProjection::Nothing => Poll::Pending,
            WaitProjection::Limit { sleep } => {
                ready!(sleep.poll(context));
                Poll::Ready(Step::Judge(Bad::TimedOut))
            }
            WaitProjection::Delay { sleep } => {
                ready!(sleep.poll(context));
                Poll::Ready(Step::Start)
            }
            WaitProjection::Answer { question, failure } => {
                let effect = ready!(question.poll(context));
                let Some((bad, judgement)) = failure.take() else {
                    return Poll::Pending;
                };
                Poll::Ready(match effect {
                    Effect::Yes(value) => Step::Succeed(value),
                    Effect::No => Step::Settle(bad, judgement.without_effect()),
                    Effect::Unknown => Step::Settle(bad, judgement),
                })
            }
        }
    }

    /// Begins an attempt.
    #[inline]
    fn start(&mut self, mut at: At<'_, Op, M, Z, P>) -> Next<Op, M, V> {
        if let Err(rejection) = self.setup.before_attempt(at.trail) {
            return Step::Reject(rejection);
        }
        at.wait.set(match self.setup.attempt_limit(at.trail) {
            Some(limit) => Wait::Limit { sleep: self.setup.environment.sleep(limit) },
            None => Wait::Nothing,
        });
        let attempt = self.operation.start(|| self.setup.attempt(at.trail));
        self.attempt.set(Slot::Running { attempt });
        Step::Advance
    }

    /// What the failure means, after asking whether it was one.
    #[inline]
    fn judge(
        &mut self,
        mut at: At<'_, Op, M, Z, P>,
        bad: Bad<Op::Value, Op::Error>,
    ) -> Next<Op, M, V> {
        self.attempt.set(Slot::Empty);
        let judgement = self.setup.judge(&bad);
        if judgement.class() != Class::UnknownOutcome {
            return Step::Settle(bad, judgement);
        }
        let Some(question) = self.probe.ask(|| self.setup.key()) else {
            return Step::Settle(bad, judgement);
        };
        at.wait.set(Wait::Answer { question, failure: Some((bad, judgement)) });
        Step::Advance
    }

    /// What follows from the failure.
    #[inline]
    fn settle(
        &mut self,
        mut at: At<'_, Op, M, Z, P>,
        bad: Bad<Op::Value, Op::Error>,
        judgement: Judgement,
    ) -> Next<Op, M, V> {
        match self.setup.settle(at.trail, bad, judgement) {
            // No timer is as quick as none.
            Ok(Duration::ZERO) => Step::Start,
            Ok(delay) => {
                at.wait.set(Wait::Delay { sleep: self.setup.environment.sleep(delay) });
                Step::Advance
            }
            Err(error) => Step::GiveUp(error),
        }
    }
}

/// Where a slow session stands.
type At<'s, Op, M, Z, P> = SlowProjection<
    's,
    <Z as Sleeper>::Sleep,
    <P as Probe<<Op as Operation<M>>::Value>>::Future,
    <Op as Operation<M>>::Value,
    <Op as Operation<M>>::Error,
>;

/// What a slow session of this operation does next.
type Next<Op, M, V> = Step<
    <Op as Operation<M>>::Value,
    <Op as Operation<M>>::Error,
    <V as Values<<Op as Operation<M>>::Value>>::Kept,
>;

/// What a slow session does next.
enum Step<T, E, K> {
    Start,
    Advance,
    Judge(Bad<T, E>),
    Settle(Bad<T, E>, Judgement),
    Reject(Rejection),
    Succeed(T),
    GiveUp(RetryError<E, K>),
}

impl<T, E, K> From<Start<T, E>> for Step<T, E, K> {
    #[inline]
    fn from(start: Start<T, E>) -> Self {
        match start {
            Start::Anew => Self::Start,
            Start::Failed(bad) => Self::Judge(bad),
            Start::Rejected(rejection) => Self::Reject(rejection),
        }
    }
}
