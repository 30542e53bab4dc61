//! The blocking driver: a retry session that runs on the calling thread.

use super::environment::BlockingSleeper;
use super::error::RetryError;
use super::instrument::Instrument;
use super::judges::{ClassOverride, ErrorFacts, Judges, ValueFacts};
use super::nested::Scope;
use super::operation::BlockingOperation;
use super::probe::{BlockingProbe, Effect};
use super::report::{Outcome, Report};
use super::retry::Retry;
use super::session::{AttemptError, Setup, Start, before_wait, first_attempt_succeeded};
use super::session_state::SessionState;
use std::ops::Deref;
use std::time::Duration;

use super::{Attempt, Key};
use crate::Class;
use crate::judge::Judgement;
use crate::policy::Policy;

type SessionResult<Operation, Args, Values, Success> = Result<
    <Success as Outcome<<Operation as BlockingOperation<Args>>::Value>>::Output,
    RetryError<
        <Operation as BlockingOperation<Args>>::Error,
        <Values as ValueFacts<<Operation as BlockingOperation<Args>>::Value>>::Rejected,
    >,
>;

impl<PolicyRef, Operation, Args, Facts, Values, Override, Instruments, Env, Probe, Success>
    Retry<
        PolicyRef,
        Operation,
        Args,
        Judges<Facts, Values, Override>,
        Instruments,
        Env,
        Probe,
        Success,
    >
where
    PolicyRef: Deref<Target = Policy>,
    Operation: BlockingOperation<Args>,
    Values: ValueFacts<Operation::Value>,
    Override: ClassOverride,
    Instruments: Instrument,
    Env: BlockingSleeper,
    Probe: BlockingProbe<Operation::Value>,
    Success: Outcome<Operation::Value>,
{
    /// Runs the operation on this thread, waits included.
    ///
    /// A blocking call cannot be interrupted, so `attempt_timeout` is only passed to the
    /// operation, as its [deadline](crate::Attempt::deadline).
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
    pub fn call(self) -> SessionResult<Operation, Args, Values, Success>
    where
        // Here and not on the impl, so that the compiler names the missing trait.
        Facts: ErrorFacts<Operation::Error>,
    {
        // Destructured, so that a success keeps all of it in registers.
        let Self { setup, mut operation, probe, outcome } = self;
        let Setup { policy, judges, mut instruments, mut environment } = setup;
        let mut memory = Operation::Memory::default();
        let mut start = Start::New;
        before_wait(&policy, &mut environment, &mut instruments);
        if policy.plain && !Success::REPORTS && !environment.is_cancelled() {
            start = match instruments.before_attempt(|| environment.now()) {
                Err(rejection) => Start::Rejected(rejection),
                Ok(()) => {
                    let scope = Scope::plain();
                    let result = operation.start(&mut memory, Attempt::first);
                    drop(scope);
                    match judges.examine(result) {
                        Err(error) => Start::Failed(error),
                        Ok(value) => {
                            first_attempt_succeeded::<Success, _>(
                                &policy,
                                &environment,
                                &mut instruments,
                                &value,
                            );
                            return Ok(Success::of(value, Report::default));
                        }
                    }
                }
            };
        }
        let setup = Setup { policy, judges, instruments, environment };
        Self { setup, operation, probe, outcome }.run(start, memory.into())
    }

    /// Runs the session with its state until it ends.
    #[cold]
    #[inline(never)]
    fn run(
        mut self,
        start: Start<Operation::Value, Operation::Error>,
        generated: Option<Key>,
    ) -> SessionResult<Operation, Args, Values, Success>
    where
        Facts: ErrorFacts<Operation::Error>,
    {
        let mut state = self.setup.new_state(Success::REPORTS, self.operation.key(), generated);
        let mut failed = match start {
            Start::New => None,
            Start::Failed(error) => Some(error),
            Start::Rejected(rejection) => {
                return Err(self.setup.on_rejection::<Operation::Value, _>(&mut state, &rejection));
            }
        };
        loop {
            if let Some(error) = failed.take() {
                let judgement = match self.judge_failure(&mut state, &error) {
                    Ok(judgement) => judgement,
                    Err(value) => return Ok(self.finish(&mut state, value)),
                };
                let delay = self.setup.on_failure(&mut state, error, judgement)?;
                if delay > 0 {
                    self.setup.environment.block(Duration::from_nanos(delay));
                }
            }
            if self.setup.environment.is_cancelled() {
                return Err(self.setup.on_cancel::<Operation::Value, _>(Some(&mut state)));
            }
            if let Err(rejection) = self.setup.before_attempt(&mut state) {
                return Err(self.setup.on_rejection::<Operation::Value, _>(&mut state, &rejection));
            }
            let scope = Scope::enter(&self.setup.policy, &state);
            let result = self
                .operation
                .start(&mut Operation::Memory::default(), |_| self.setup.attempt(&mut state));
            state.retried_inside |= scope.end();
            match self.setup.judges.examine(result) {
                Ok(value) => return Ok(self.finish(&mut state, value)),
                Err(error) => failed = Some(error),
            }
        }
    }

    /// Judges the failure; `Err` is the value that the probe found, if the attempt took effect.
    fn judge_failure(
        &mut self,
        state: &mut SessionState<Operation::Error>,
        error: &AttemptError<Operation::Value, Operation::Error>,
    ) -> Result<Judgement, Operation::Value>
    where
        Facts: ErrorFacts<Operation::Error>,
    {
        let judgement = self.setup.judge(error);
        if judgement.class() != Class::UnknownOutcome {
            return Ok(judgement);
        }
        match self.probe.probe(|| state.key()) {
            Effect::Yes(value) => Err(value),
            Effect::No => Ok(judgement.without_effect()),
            Effect::Unknown => Ok(judgement),
        }
    }

    fn finish(
        &mut self,
        state: &mut SessionState<Operation::Error>,
        value: Operation::Value,
    ) -> Success::Output
    where
        Facts: ErrorFacts<Operation::Error>,
    {
        self.setup.on_success::<Success, _, _>(state, &value);
        Success::of(value, || self.setup.report(state))
    }
}
