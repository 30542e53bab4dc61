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
use super::session::{Bad, Trail};
use crate::Class;
use crate::judge::Judgement;

/// What a session of this operation returns.
type End<Op, M, V, R> = Result<
    <R as Outcome<<Op as BlockingOperation<M>>::Value>>::Output,
    RetryError<
        <Op as BlockingOperation<M>>::Error,
        <V as Values<<Op as BlockingOperation<M>>::Value>>::Kept,
    >,
>;

impl<Op, M, F, V, O, G, Z, P, R> Retry<'_, Op, M, Judges<F, V, O>, G, Z, P, R>
where
    Op: BlockingOperation<M>,
    F: Facts<Op::Error>,
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
    #[inline]
    pub fn call(mut self) -> End<Op, M, V, R> {
        let Self { setup, operation, .. } = &mut self;
        if R::REPORTS || !setup.starts_unprepared() || setup.environment.is_cancelled() {
            let trail = setup.trail(false);
            return self.persist(trail, None);
        }
        if let Err(rejection) = setup.instruments.before_attempt(|| setup.environment.now()) {
            return Err(setup.rejected::<Op::Value, _>(&mut setup.trail(true), &rejection));
        }
        let scope = Scope::plain();
        let result = operation.start(|| setup.attempt::<Op::Error>(None));
        drop(scope);
        match setup.examine(result) {
            Ok(value) => {
                setup.succeeded::<Op::Error>(None);
                Ok(R::of(value, Report::default))
            }
            Err(bad) => {
                let trail = setup.trail(true);
                self.persist(trail, Some(bad))
            }
        }
    }

    /// Goes on from a failure, or from the start with everything prepared, until the end.
    #[inline(never)]
    fn persist(
        mut self,
        mut trail: Trail<Op::Error>,
        mut failure: Option<Bad<Op::Value, Op::Error>>,
    ) -> End<Op, M, V, R> {
        loop {
            if let Some(bad) = failure.take() {
                let judgement = match self.meaning(&bad) {
                    Ok(judgement) => judgement,
                    Err(value) => return Ok(self.finish(&mut trail, value)),
                };
                let delay = self.setup.settle(&mut trail, bad, judgement)?;
                if !delay.is_zero() {
                    self.setup.environment.block(delay);
                }
            }
            if self.setup.environment.is_cancelled() {
                return Err(self.setup.cancelled::<Op::Value, _>(Some(&mut trail)));
            }
            if let Err(rejection) = self.setup.before_attempt(&mut trail) {
                return Err(self.setup.rejected::<Op::Value, _>(&mut trail, &rejection));
            }
            let scope = Scope::enter(self.setup.policy, trail.progress());
            let result = self.operation.start(|| self.setup.attempt(Some(&mut trail)));
            trail.note_retried_inside(scope.end());
            match self.setup.examine(result) {
                Ok(value) => return Ok(self.finish(&mut trail, value)),
                Err(bad) => failure = Some(bad),
            }
        }
    }

    /// What the failure means, or the value that the probe found after all.
    fn meaning(&mut self, bad: &Bad<Op::Value, Op::Error>) -> Result<Judgement, Op::Value> {
        let judgement = self.setup.judge(bad);
        if judgement.class() != Class::UnknownOutcome {
            return Ok(judgement);
        }
        match self.probe.ask(|| self.setup.key()) {
            Effect::Yes(value) => Err(value),
            Effect::No => Ok(judgement.without_effect()),
            Effect::Unknown => Ok(judgement),
        }
    }

    fn finish(&mut self, trail: &mut Trail<Op::Error>, value: Op::Value) -> R::Output {
        self.setup.succeeded(Some(trail));
        R::of(value, || self.setup.report(trail))
    }
}
