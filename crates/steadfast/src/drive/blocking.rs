//! The driver that blocks the thread.

use super::environment::BlockingSleeper;
use super::error::RetryError;
use super::instrument::Instrument;
use super::judges::{Facts, Judges, Overrule, Values};
use super::nested::Scope;
use super::operation::BlockingOperation;
use super::probe::{BlockingProbe, Effect};
use super::report::{Outcome, Report};
use super::retry::Retry;
use super::session::{AttemptError, Setup, Start, linger, succeed_at_once};
use super::session_state::SessionState;
use std::ops::Deref;
use std::time::Duration;

use super::{Attempt, Key};
use crate::Class;
use crate::judge::Judgement;
use crate::policy::Policy;

/// What a session of this operation returns.
type End<Op, M, V, R> = Result<
    <R as Outcome<<Op as BlockingOperation<M>>::Value>>::Output,
    RetryError<
        <Op as BlockingOperation<M>>::Error,
        <V as Values<<Op as BlockingOperation<M>>::Value>>::Kept,
    >,
>;

impl<L, Op, M, F, V, O, G, Z, P, R> Retry<L, Op, M, Judges<F, V, O>, G, Z, P, R>
where
    L: Deref<Target = Policy>,
    Op: BlockingOperation<M>,
    V: Values<Op::Value>,
    O: Overrule,
    G: Instrument,
    Z: BlockingSleeper,
    P: BlockingProbe<Op::Value>,
    R: Outcome<Op::Value>,
{
    /// Runs the operation on this thread, waits included.
    ///
    /// A thread cannot be cut off, so `attempt_timeout` is only told to the operation, as
    /// its [deadline](crate::Attempt::deadline).
    ///
    /// ```
    /// use std::fs;
    /// use steadfast::{Policy, retry};
    ///
    /// let policy = Policy::immediate().build()?;
    /// let manifest = retry(&policy, || fs::read_to_string("Cargo.toml")).call()?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The session gave up: [`RetryError`] says why and holds the last error.
    #[inline(always)]
    pub fn call(self) -> End<Op, M, V, R>
    where
        // Here and not above, so that the compiler says what an error lacks.
        F: Facts<Op::Error>,
    {
        // In pieces, so that on success nothing of it need ever be in memory.
        let Self { setup, mut operation, probe, outcome } = self;
        let Setup { policy, judges, mut instruments, mut environment } = setup;
        let mut memory = Op::Memory::default();
        let mut start = Start::Anew;
        linger(&policy, &mut environment, &mut instruments);
        if policy.plain && !R::REPORTS && !environment.is_cancelled() {
            start = match instruments.before_attempt(|| environment.now()) {
                Err(rejection) => Start::Rejected(rejection),
                Ok(()) => {
                    let scope = Scope::plain();
                    let result = operation.start(&mut memory, Attempt::first);
                    drop(scope);
                    match judges.examine(result) {
                        Err(bad) => Start::Failed(bad),
                        Ok(value) => {
                            succeed_at_once::<R, _>(
                                &policy,
                                &environment,
                                &mut instruments,
                                &value,
                            );
                            return Ok(R::of(value, Report::default));
                        }
                    }
                }
            };
        }
        let setup = Setup { policy, judges, instruments, environment };
        Self { setup, operation, probe, outcome }.persist(start, memory.into())
    }

    /// Goes on until the end.
    #[cold]
    #[inline(never)]
    fn persist(mut self, start: Start<Op::Value, Op::Error>, made: Option<Key>) -> End<Op, M, V, R>
    where
        F: Facts<Op::Error>,
    {
        let mut trail = self.setup.trail(R::REPORTS, self.operation.key(), made);
        let mut failure = match start {
            Start::Anew => None,
            Start::Failed(bad) => Some(bad),
            Start::Rejected(rejection) => {
                return Err(self.setup.rejected::<Op::Value, _>(&mut trail, &rejection));
            }
        };
        loop {
            if let Some(bad) = failure.take() {
                let judgement = match self.meaning(&mut trail, &bad) {
                    Ok(judgement) => judgement,
                    Err(value) => return Ok(self.finish(&mut trail, value)),
                };
                let delay = self.setup.settle(&mut trail, bad, judgement)?;
                if delay > 0 {
                    self.setup.environment.block(Duration::from_nanos(delay));
                }
            }
            if self.setup.environment.is_cancelled() {
                return Err(self.setup.cancelled::<Op::Value, _>(Some(&mut trail)));
            }
            if let Err(rejection) = self.setup.before_attempt(&mut trail) {
                return Err(self.setup.rejected::<Op::Value, _>(&mut trail, &rejection));
            }
            let scope = Scope::enter(&self.setup.policy, &trail);
            let result = self
                .operation
                .start(&mut Op::Memory::default(), |_| self.setup.attempt(&mut trail));
            trail.retried_inside |= scope.end();
            match self.setup.judges.examine(result) {
                Ok(value) => return Ok(self.finish(&mut trail, value)),
                Err(bad) => failure = Some(bad),
            }
        }
    }

    /// What the failure means, or the value that the probe found after all.
    fn meaning(
        &mut self,
        trail: &mut SessionState<Op::Error>,
        bad: &AttemptError<Op::Value, Op::Error>,
    ) -> Result<Judgement, Op::Value>
    where
        F: Facts<Op::Error>,
    {
        let judgement = self.setup.judge(bad);
        if judgement.class() != Class::UnknownOutcome {
            return Ok(judgement);
        }
        match self.probe.ask(|| trail.key()) {
            Effect::Yes(value) => Err(value),
            Effect::No => Ok(judgement.without_effect()),
            Effect::Unknown => Ok(judgement),
        }
    }

    fn finish(&mut self, trail: &mut SessionState<Op::Error>, value: Op::Value) -> R::Output
    where
        F: Facts<Op::Error>,
    {
        self.setup.succeeded::<R, _, _>(trail, &value);
        R::of(value, || self.setup.report(trail))
    }
}
