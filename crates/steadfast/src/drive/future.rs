//! The driver that is a future.
//!
//! A session that succeeds at once is polled by a few instructions that know
//! nothing else. Whatever more there is to a session, its trail, its timers and
//! its questions, begins when the first attempt has failed, or at the start if
//! the policy needs it, and goes through these steps:
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
use std::ops::Deref;
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
use super::session::{AttemptError, Setup, Start, succeed_at_once};
use super::session_state::SessionState;
use crate::Class;
use crate::guard::Rejection;
use crate::judge::Judgement;
use crate::policy::Policy;

pin_project! {
    /// A session under way.
    #[must_use = "futures do nothing unless awaited"]
    #[project = Session]
    pub struct RetryFuture<L, M, Op, F, V, O, G, Z, P, R>
    where
        L: Deref<Target = Policy>,
        Op: Operation<M>,
        O: Overrule,
        G: Instrument,
        Z: Sleeper,
        P: Probe<Op::Value>,
    {
        setup: Setup<L, Judges<F, V, O>, G, Z>,
        operation: Op,
        probe: P,
        #[pin]
        stage: Stage<Op, M, Z, P>,
        outcome: PhantomData<fn() -> (R, M)>,
    }

    impl<L, M, Op, F, V, O, G, Z, P, R> PinnedDrop for RetryFuture<L, M, Op, F, V, O, G, Z, P, R>
    where
        L: Deref<Target = Policy>,
        Op: Operation<M>,
        O: Overrule,
        G: Instrument,
        Z: Sleeper,
        P: Probe<Op::Value>,
    {
        fn drop(this: Pin<&mut Self>) {
            let this = this.project();
            match &*this.stage {
                Stage::Idle | Stage::Unprepared | Stage::Ended => {}
                Stage::First { .. } => this.setup.dropped::<Op::Error>(None),
                Stage::Slow { slow } => this.setup.dropped(Some(&slow.trail)),
            }
        }
    }
}

pin_project! {
    /// How far a session has come. One that succeeds at once is never slow.
    #[project = StageProjection]
    #[repr(u8)]
    enum Stage<Op, M, Z, P>
    where
        Op: Operation<M>,
        Z: Sleeper,
        P: Probe<Op::Value>,
    {
        // The first attempt can begin.
        Idle,
        // The trail is needed first.
        Unprepared,
        First { #[pin] attempt: Op::Future, memory: Op::Memory },
        Slow { #[pin] slow: Slow<Op::Future, Z::Sleep, P::Future, Op::Value, Op::Error> },
        Ended,
    }
}

pin_project! {
    #[project = SlowProjection]
    struct Slow<Fut, S, Q, T, E> {
        trail: SessionState<E>,
        #[pin]
        attempt: Option<Fut>,
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
        Answer { #[pin] question: Q, failure: Option<(AttemptError<T, E>, Judgement)> },
    }
}

/// What a session of this operation returns.
type End<Op, M, V, R> = Result<
    <R as Outcome<<Op as Operation<M>>::Value>>::Output,
    RetryError<<Op as Operation<M>>::Error, <V as Values<<Op as Operation<M>>::Value>>::Kept>,
>;

impl<L, Op, M, F, V, O, G, Z, P, R> IntoFuture for Retry<L, Op, M, Judges<F, V, O>, G, Z, P, R>
where
    L: Deref<Target = Policy>,
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
    type IntoFuture = RetryFuture<L, M, Op, F, V, O, G, Z, P, R>;

    #[inline]
    fn into_future(self) -> Self::IntoFuture {
        let Self { setup, operation, probe, .. } = self;
        let plain = setup.policy.plain && !R::REPORTS;
        let stage = if plain { Stage::Idle } else { Stage::Unprepared };
        RetryFuture { setup, operation, probe, stage, outcome: PhantomData }
    }
}

impl<L, M, Op, F, V, O, G, Z, P, R> Future for RetryFuture<L, M, Op, F, V, O, G, Z, P, R>
where
    L: Deref<Target = Policy>,
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
        if self.setup.environment.is_cancelled() {
            return Poll::Ready(Err(self.cancel()));
        }
        let polled = self.as_mut().advance(context);
        if polled.is_pending() {
            // Only now: a session that ends at once is not to pay for it.
            let setup = self.as_mut().project().setup;
            setup.linger();
            if setup.environment.poll_cancelled(context).is_ready() {
                return Poll::Ready(Err(self.cancel()));
            }
        }
        polled
    }
}

impl<L, M, Op, F, V, O, G, Z, P, R> RetryFuture<L, M, Op, F, V, O, G, Z, P, R>
where
    L: Deref<Target = Policy>,
    Op: Operation<M>,
    F: Facts<Op::Error>,
    V: Values<Op::Value>,
    O: Overrule,
    G: Instrument,
    Z: Sleeper,
    P: Probe<Op::Value>,
    R: Outcome<Op::Value>,
{
    #[inline(always)]
    fn advance(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<End<Op, M, V, R>> {
        let mut this = self.as_mut().project();
        if matches!(*this.stage, Stage::Idle) {
            let Setup { instruments, environment, .. } = this.setup;
            if let Err(rejection) = instruments.before_attempt(|| environment.now()) {
                return self.slow_down(Start::Rejected(rejection), context);
            }
            let mut memory = Op::Memory::default();
            let scope = Scope::plain();
            let attempt = this.operation.start(&mut memory, Attempt::first);
            drop(scope);
            this.stage.set(Stage::First { attempt, memory });
        }
        let StageProjection::First { attempt, .. } = this.stage.as_mut().project() else {
            return self.go_on(context);
        };
        let scope = Scope::plain();
        let polled = attempt.poll(context);
        drop(scope);
        match this.setup.judges.examine(ready!(polled)) {
            Ok(value) => {
                let Setup { policy, instruments, environment, .. } = this.setup;
                succeed_at_once::<R, _>(policy, environment, instruments, &value);
                if instruments.observes() {
                    this.stage.set(Stage::Ended);
                }
                Poll::Ready(Ok(R::of(value, Report::default)))
            }
            Err(bad) => self.slow_down(Start::Failed(bad), context),
        }
    }

    #[cold]
    fn cancel(self: Pin<&mut Self>) -> RetryError<Op::Error, V::Kept> {
        let mut this = self.project();
        let error = match this.stage.as_mut().project() {
            StageProjection::Slow { slow } => {
                this.setup.cancelled::<Op::Value, _>(Some(slow.project().trail))
            }
            _ => this.setup.cancelled::<Op::Value, _>(None),
        };
        this.stage.set(Stage::Ended);
        error
    }

    /// Goes on from wherever a session stands that is not at its first attempt.
    #[cold]
    #[inline(never)]
    fn go_on(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<End<Op, M, V, R>> {
        if matches!(self.stage, Stage::Unprepared) {
            return self.slow_down(Start::Anew, context);
        }
        self.persist(Start::Anew, context)
    }

    /// Makes the trail, and goes on from there.
    #[cold]
    #[inline(never)]
    fn slow_down(
        mut self: Pin<&mut Self>,
        start: Start<Op::Value, Op::Error>,
        context: &mut Context<'_>,
    ) -> Poll<End<Op, M, V, R>> {
        let mut this = self.as_mut().project();
        let made = match this.stage.as_mut().project() {
            StageProjection::First { memory, .. } => std::mem::take(memory).into(),
            _ => None,
        };
        let trail = this.setup.trail(R::REPORTS, this.operation.key(), made);
        this.stage.set(Stage::Slow { slow: Slow { trail, attempt: None, wait: Wait::Nothing } });
        self.persist(start, context)
    }

    /// Goes on as far as it can.
    #[inline(always)]
    fn persist(
        self: Pin<&mut Self>,
        mut start: Start<Op::Value, Op::Error>,
        context: &mut Context<'_>,
    ) -> Poll<End<Op, M, V, R>> {
        let mut this = self.project();
        let StageProjection::Slow { slow } = this.stage.as_mut().project() else {
            return Poll::Pending;
        };
        let mut at = slow.project();
        let mut steps = Steps { setup: this.setup, operation: this.operation, probe: this.probe };
        let end = loop {
            let failure = match ready!(steps.pursue(&mut at, start, context)) {
                Pursued::Failed(bad, judgement) => (bad, judgement),
                Pursued::Succeeded(value) => {
                    steps.setup.succeeded::<R, _, _>(at.trail, &value);
                    break Ok(R::of(value, || steps.setup.report(at.trail)));
                }
                Pursued::Rejected(rejection) => {
                    break Err(steps.setup.rejected::<Op::Value, _>(at.trail, &rejection));
                }
            };
            match steps.setup.settle(at.trail, failure.0, failure.1) {
                // No timer is as quick as none.
                Ok(0) => at.wait.set(Wait::Nothing),
                Ok(delay) => {
                    let sleep = steps.setup.environment.sleep(Duration::from_nanos(delay));
                    at.wait.set(Wait::Delay { sleep });
                }
                Err(error) => break Err(error),
            }
            start = Start::Anew;
        };
        this.stage.set(Stage::Ended);
        Poll::Ready(end)
    }
}

/// The parts of a session that its steps need, beside where it stands.
struct Steps<'s, L, Op, J, G, Z, P> {
    setup: &'s mut Setup<L, J, G, Z>,
    operation: &'s mut Op,
    probe: &'s mut P,
}

/// How far a session has come by itself.
enum Pursued<T, E> {
    Succeeded(T),
    Failed(AttemptError<T, E>, Judgement),
    Rejected(Rejection),
}

impl<L, Op, F, V, O, G, Z, P> Steps<'_, L, Op, Judges<F, V, O>, G, Z, P>
where
    L: Deref<Target = Policy>,
    O: Overrule,
    G: Instrument,
    Z: Sleeper,
{
    /// Waits, tries and asks, until an attempt has succeeded or is known to have failed.
    #[inline(always)]
    fn pursue<M>(
        &mut self,
        at: &mut At<'_, Op, M, Z, P>,
        start: Start<Op::Value, Op::Error>,
        context: &mut Context<'_>,
    ) -> Poll<Pursued<Op::Value, Op::Error>>
    where
        Op: Operation<M>,
        F: Facts<Op::Error>,
        V: Values<Op::Value>,
        P: Probe<Op::Value>,
    {
        let bad = match start {
            Start::Failed(bad) => bad,
            Start::Rejected(rejection) => return Poll::Ready(Pursued::Rejected(rejection)),
            Start::Anew => {
                match at.wait.as_mut().project() {
                    WaitProjection::Delay { sleep } => {
                        ready!(sleep.poll(context));
                        at.wait.set(Wait::Nothing);
                    }
                    WaitProjection::Answer { .. } => return self.hear(at, context),
                    WaitProjection::Nothing | WaitProjection::Limit { .. } => {}
                }
                if at.attempt.is_none()
                    && let Err(rejection) = self.prepare(at)
                {
                    return Poll::Ready(Pursued::Rejected(rejection));
                }
                match ready!(self.attempt(at, context)) {
                    Ok(value) => return Poll::Ready(Pursued::Succeeded(value)),
                    Err(bad) => bad,
                }
            }
        };
        at.attempt.set(None);
        let judgement = self.setup.judge(&bad);
        if judgement.class() == Class::UnknownOutcome
            && let Some(question) = self.probe.ask(|| at.trail.key())
        {
            at.wait.set(Wait::Answer { question, failure: Some((bad, judgement)) });
            return self.hear(at, context);
        }
        Poll::Ready(Pursued::Failed(bad, judgement))
    }

    /// Asks for leave to begin an attempt, and sets its limit.
    #[inline(always)]
    fn prepare<M>(&mut self, at: &mut At<'_, Op, M, Z, P>) -> Result<(), Rejection>
    where
        Op: Operation<M>,
        P: Probe<Op::Value>,
    {
        self.setup.before_attempt(at.trail)?;
        if let Some(limit) = self.setup.attempt_limit(at.trail) {
            at.wait.set(Wait::Limit { sleep: self.setup.environment.sleep(limit) });
        }
        Ok(())
    }

    /// Begins the attempt unless it is under way, and polls it and its limit.
    #[inline(always)]
    fn attempt<M>(
        &mut self,
        at: &mut At<'_, Op, M, Z, P>,
        context: &mut Context<'_>,
    ) -> Poll<Result<Op::Value, AttemptError<Op::Value, Op::Error>>>
    where
        Op: Operation<M>,
        F: Facts<Op::Error>,
        V: Values<Op::Value>,
        P: Probe<Op::Value>,
    {
        let scope = Scope::enter(&self.setup.policy, at.trail);
        if at.attempt.is_none() {
            let memory = &mut Op::Memory::default();
            let attempt = self.operation.start(memory, |_| self.setup.attempt(at.trail));
            at.attempt.set(Some(attempt));
        }
        let polled = match at.attempt.as_mut().as_pin_mut() {
            Some(attempt) => attempt.poll(context),
            None => Poll::Pending,
        };
        at.trail.retried_inside |= scope.end();
        if let Poll::Ready(result) = polled {
            return Poll::Ready(self.setup.judges.examine(result));
        }
        let WaitProjection::Limit { sleep } = at.wait.as_mut().project() else {
            return Poll::Pending;
        };
        ready!(sleep.poll(context));
        Poll::Ready(Err(AttemptError::TimedOut))
    }

    /// Polls the question whether the attempt took effect.
    #[cold]
    fn hear<M>(
        &mut self,
        at: &mut At<'_, Op, M, Z, P>,
        context: &mut Context<'_>,
    ) -> Poll<Pursued<Op::Value, Op::Error>>
    where
        Op: Operation<M>,
        P: Probe<Op::Value>,
    {
        let WaitProjection::Answer { question, failure } = at.wait.as_mut().project() else {
            return Poll::Pending;
        };
        let effect = ready!(question.poll(context));
        let Some((bad, judgement)) = failure.take() else {
            return Poll::Pending;
        };
        at.wait.set(Wait::Nothing);
        Poll::Ready(match effect {
            Effect::Yes(value) => Pursued::Succeeded(value),
            Effect::No => Pursued::Failed(bad, judgement.without_effect()),
            Effect::Unknown => Pursued::Failed(bad, judgement),
        })
    }
}

/// Where a slow session stands.
type At<'s, Op, M, Z, P> = SlowProjection<
    's,
    <Op as Operation<M>>::Future,
    <Z as Sleeper>::Sleep,
    <P as Probe<<Op as Operation<M>>::Value>>::Future,
    <Op as Operation<M>>::Value,
    <Op as Operation<M>>::Error,
>;
