//! The driver that is a future.
//!
//! ```text
//!           ┌────────────────── Waiting ◀── retry after d ──┐
//!           ▼                                               │
//!  Idle ─▶ start ─▶ Running ── failed ─▶ judge ─────────▶ decide ─▶ give up
//!                     │                    │ unknown outcome   ▲
//!                     │                    ▼                   │
//!                     ▼                 Probing ───────────────┘
//!                  success ◀── it took effect ─┘
//! ```

use std::future::{Future, IntoFuture};
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use pin_project_lite::pin_project;

use super::environment::Sleeper;
use super::error::RetryError;
use super::instrument::Instrument;
use super::judges::{Facts, Judges, Overrule, Values};
use super::nested::Scope;
use super::operation::Operation;
use super::probe::{Effect, Probe};
use super::report::{Outcome, Report};
use super::retry::Retry;
use super::session::{Bad, Setup, Trail};
use crate::Class;
use crate::judge::Judgement;

pin_project! {
    /// A session under way.
    #[must_use = "futures do nothing unless awaited"]
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
        // Made at the first failure, or at the start if the policy needs it.
        trail: Option<Box<Trail<Op::Error>>>,
        #[pin]
        phase: Phase<Op::Future, Z::Sleep, P::Future, Op::Value, Op::Error>,
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
            if !matches!(*this.phase, Phase::Idle | Phase::Ended) {
                this.setup.dropped(this.trail.as_deref_mut());
            }
        }
    }
}

pin_project! {
    #[project = PhaseProjection]
    enum Phase<Fut, S, Q, T, E> {
        Idle,
        Running { #[pin] attempt: Fut, #[pin] limit: Option<S> },
        Probing { #[pin] question: Q, failure: Option<(Bad<T, E>, Judgement)> },
        Waiting { #[pin] sleep: S },
        Ended,
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
            trail: None,
            phase: Phase::Idle,
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

    #[inline]
    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        if self.as_mut().project().setup.environment.poll_cancelled(context).is_ready() {
            return Poll::Ready(Err(self.cancel()));
        }
        if matches!(self.phase, Phase::Idle)
            && let Err(error) = self.as_mut().begin()
        {
            return Poll::Ready(Err(error));
        }
        let this = self.as_mut().project();
        let PhaseProjection::Running { attempt, .. } = this.phase.project() else {
            return self.persist(None, context);
        };
        if this.trail.is_some() {
            return self.persist(None, context);
        }
        let scope = Scope::plain();
        let polled = attempt.poll(context);
        drop(scope);
        match this.setup.examine(ready!(polled)) {
            Ok(value) => {
                this.setup.succeeded::<Op::Error>(None);
                self.project().phase.set(Phase::Ended);
                Poll::Ready(Ok(R::of(value, Report::default)))
            }
            Err(bad) => {
                *this.trail = Some(Box::new(this.setup.trail(true)));
                self.persist(Some(bad), context)
            }
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
    /// Begins the first attempt, without a trail if it can do without.
    #[inline]
    fn begin(self: Pin<&mut Self>) -> Result<(), RetryError<Op::Error, V::Kept>> {
        let mut this = self.project();
        if R::REPORTS || !this.setup.starts_unprepared() {
            *this.trail = Some(Box::new(this.setup.trail(false)));
            return Ok(());
        }
        let Setup { instruments, environment, .. } = this.setup;
        if let Err(rejection) = instruments.before_attempt(|| environment.now()) {
            this.phase.set(Phase::Ended);
            let mut trail = this.setup.trail(true);
            return Err(this.setup.rejected::<Op::Value, _>(&mut trail, &rejection));
        }
        let attempt = this.operation.start(|| this.setup.attempt::<Op::Error>(None));
        this.phase.set(Phase::Running { attempt, limit: None });
        Ok(())
    }

    /// Goes on, from a failure or from wherever the session stands, as far as it can.
    #[inline(never)]
    fn persist(
        mut self: Pin<&mut Self>,
        failure: Option<Bad<Op::Value, Op::Error>>,
        context: &mut Context<'_>,
    ) -> Poll<End<Op, M, V, R>> {
        let mut step = failure.map_or(Step::Advance, Step::Judge);
        loop {
            step = match step {
                Step::Advance => ready!(self.as_mut().advance(context)),
                Step::Judge(bad) => self.as_mut().judge(bad),
                Step::Settle(bad, judgement) => self.as_mut().settle(bad, judgement),
                Step::Succeed(value) => return Poll::Ready(Ok(self.succeed(value))),
                Step::GiveUp(error) => {
                    self.project().phase.set(Phase::Ended);
                    return Poll::Ready(Err(error));
                }
            };
        }
    }

    /// Polls what the session waits for.
    #[inline]
    fn advance(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Step<Op::Value, Op::Error, V::Kept>> {
        let this = self.as_mut().project();
        match this.phase.project() {
            PhaseProjection::Idle => return Poll::Ready(self.start()),
            PhaseProjection::Running { attempt, limit } => {
                let trail = this.setup.on(this.trail);
                let scope = Scope::enter(this.setup.policy, trail.progress());
                let polled = attempt.poll(context);
                trail.note_retried_inside(scope.end());
                if let Poll::Ready(result) = polled {
                    return Poll::Ready(match this.setup.examine(result) {
                        Ok(value) => Step::Succeed(value),
                        Err(bad) => Step::Judge(bad),
                    });
                }
                let Some(limit) = limit.as_pin_mut() else {
                    return Poll::Pending;
                };
                ready!(limit.poll(context));
                Poll::Ready(Step::Judge(Bad::TimedOut))
            }
            PhaseProjection::Probing { question, failure } => {
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
            PhaseProjection::Waiting { sleep } => {
                ready!(sleep.poll(context));
                Poll::Ready(self.start())
            }
            PhaseProjection::Ended => Poll::Pending,
        }
    }

    /// Begins an attempt of a session that has a trail.
    #[inline]
    fn start(self: Pin<&mut Self>) -> Step<Op::Value, Op::Error, V::Kept> {
        let mut this = self.project();
        let setup = this.setup;
        let trail = setup.on(this.trail);
        if let Err(rejection) = setup.before_attempt(trail) {
            return Step::GiveUp(setup.rejected::<Op::Value, _>(trail, &rejection));
        }
        let limit = setup.attempt_limit(trail).map(|limit| setup.environment.sleep(limit));
        let attempt = this.operation.start(|| setup.attempt(Some(trail)));
        this.phase.set(Phase::Running { attempt, limit });
        Step::Advance
    }

    /// What the failure means, after asking whether it was one.
    #[inline]
    fn judge(
        self: Pin<&mut Self>,
        bad: Bad<Op::Value, Op::Error>,
    ) -> Step<Op::Value, Op::Error, V::Kept> {
        let mut this = self.project();
        let judgement = this.setup.judge(&bad);
        if judgement.class() != Class::UnknownOutcome {
            return Step::Settle(bad, judgement);
        }
        let Some(question) = this.probe.ask(|| this.setup.key()) else {
            return Step::Settle(bad, judgement);
        };
        this.phase.set(Phase::Probing { question, failure: Some((bad, judgement)) });
        Step::Advance
    }

    #[inline]
    fn settle(
        self: Pin<&mut Self>,
        bad: Bad<Op::Value, Op::Error>,
        judgement: Judgement,
    ) -> Step<Op::Value, Op::Error, V::Kept> {
        let mut this = self.project();
        let trail = this.setup.on(this.trail);
        match this.setup.settle(trail, bad, judgement) {
            // No timer is as quick as none.
            Ok(Duration::ZERO) => this.phase.set(Phase::Idle),
            Ok(delay) => {
                let sleep = this.setup.environment.sleep(delay);
                this.phase.set(Phase::Waiting { sleep });
            }
            Err(error) => return Step::GiveUp(error),
        }
        Step::Advance
    }

    fn succeed(self: Pin<&mut Self>, value: Op::Value) -> R::Output {
        let mut this = self.project();
        this.phase.set(Phase::Ended);
        let trail = this.setup.on(this.trail);
        this.setup.succeeded(Some(trail));
        R::of(value, || this.setup.report(trail))
    }

    #[cold]
    fn cancel(self: Pin<&mut Self>) -> RetryError<Op::Error, V::Kept> {
        let mut this = self.project();
        this.phase.set(Phase::Ended);
        this.setup.cancelled::<Op::Value, _>(this.trail.as_deref_mut())
    }
}

/// What a session that did not succeed at once does next.
enum Step<T, E, K> {
    Advance,
    Judge(Bad<T, E>),
    Settle(Bad<T, E>, Judgement),
    Succeed(T),
    GiveUp(RetryError<E, K>),
}
