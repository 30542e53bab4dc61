//! The builder of a retry session: [`retry`] and [`Retry`].

use std::marker::PhantomData;
#[cfg(feature = "file")]
use std::sync::Arc;

use super::Key;
use super::cancel::{CancelHandle, Cancellable};
use super::environment::{Environment, Named, Real, Seeded};
use super::hooks::Hook;
use super::instrument::{EventKind, Instrument, SessionEvent};
use super::judges::{AnyValue, FromFn, Judges, NoOverride, OwnFacts, Until};
use super::operation::{Callable, Keyed};
use super::probe::NoProbe;
use super::report::{Recorded, ValueOnly, WithReport};
use super::session::Setup;
use crate::guard::{Breaker, BreakerGuard, Budget, BudgetGuard};
use crate::observe::DefaultInstrument;
#[cfg(feature = "file")]
use crate::observe::{LazyTracked, Sessions};
use crate::policy::Policy;
use crate::{Class, Fault};

/// Runs an operation under a policy.
///
/// The operation is a function without arguments, or with the [`Attempt`](crate::Attempt) as its
/// argument. If it returns a future, await the returned [`Retry`]; if it returns a result,
/// [`call`](Retry::call) it.
///
/// ```
/// use std::time::Duration;
/// use steadfast::{Jitter, Policy, retry};
///
/// # async fn fetch(_: &str) -> std::io::Result<String> { Ok(String::new()) }
/// # #[cfg(feature = "tokio")]
/// async fn page() -> Result<String, Box<dyn std::error::Error>> {
///     let policy = Policy::exponential(Duration::from_millis(500)).jitter(Jitter::Full).build()?;
///     Ok(retry(&policy, || fetch("/")).await?)
/// }
/// ```
#[inline]
pub fn retry<Args, Operation: Callable<Args>>(
    policy: &Policy,
    operation: Operation,
) -> Retry<&Policy, Operation, Args> {
    Retry {
        setup: Setup {
            policy,
            judges: Judges { facts: OwnFacts, values: AnyValue, class_override: NoOverride },
            instruments: DefaultInstrument::default(),
            environment: Real,
        },
        operation,
        probe: NoProbe,
        outcome: PhantomData,
    }
}

#[cfg(feature = "file")]
impl<'n, Operation, Args>
    Retry<
        Arc<Policy>,
        Operation,
        Args,
        Judges,
        (DefaultInstrument, LazyTracked),
        Cancellable<Named<'n, Real, true>>,
    >
{
    /// A session that owns its policy and is listed among the running sessions when it waits.
    #[inline]
    pub(crate) fn holding(
        policy: Arc<Policy>,
        name: &'n str,
        sessions: Sessions,
        cancelled: Option<CancelHandle>,
        operation: Operation,
    ) -> Self {
        let setup = Setup {
            policy,
            judges: Judges { facts: OwnFacts, values: AnyValue, class_override: NoOverride },
            instruments: (DefaultInstrument::default(), LazyTracked::new(sessions)),
            environment: Cancellable::new(Named::new(Real, name), cancelled),
        };
        Self { setup, operation, probe: NoProbe, outcome: PhantomData }
    }
}

/// An operation, its policy and the settings of the session. Made by [`retry`].
///
/// # "`Retry` is not a future"
///
/// The compiler reports this for an async operation when one of these is missing:
///
/// - The facts of its error. Derive [`Fault`](macro@crate::Fault) for the error type, or pass
///   [`facts`](Retry::facts).
/// - A timer. Enable the feature `tokio`, or pass an [`environment`](Retry::environment).
///
/// An operation that is not async is [called](Retry::call), not awaited.
#[must_use = "await it, or `call` it if the operation is not async"]
pub struct Retry<
    PolicyRef,
    Operation,
    Args,
    Judge = Judges,
    Instruments = DefaultInstrument,
    Env = Real,
    Probe = NoProbe,
    Success = ValueOnly,
> {
    pub(super) setup: Setup<PolicyRef, Judge, Instruments, Env>,
    pub(super) operation: Operation,
    pub(super) probe: Probe,
    pub(super) outcome: PhantomData<fn() -> (Args, Success)>,
}

impl<PolicyRef, Operation, Args, Judge, Instruments, Env, Probe, Success>
    Retry<PolicyRef, Operation, Args, Judge, Instruments, Env, Probe, Success>
{
    /// Sets the operation's name in logs, events and metrics. Defaults to the policy's id.
    pub fn named(
        self,
        operation: &str,
    ) -> Retry<PolicyRef, Operation, Args, Judge, Instruments, Named<'_, Env>, Probe, Success> {
        self.map_environment(|environment| Named::new(environment, operation))
    }

    /// Sets the idempotency key, instead of a generated one (J9). Set it only if the other side
    /// honours it: with a key an attempt counts as safe to repeat.
    ///
    /// ```
    /// use steadfast::{Attempt, Policy, retry};
    ///
    /// let policy = Policy::immediate().build()?;
    /// let sent = retry(&policy, |attempt: Attempt| Ok::<_, std::io::Error>(attempt.key().to_string()))
    ///     .key("invoice-42")
    ///     .call()?;
    /// assert_eq!(sent, "invoice-42");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn key(
        self,
        key: impl Into<Key>,
    ) -> Retry<PolicyRef, Keyed<Operation>, Args, Judge, Instruments, Env, Probe, Success> {
        self.maybe_key(Some(key.into()))
    }

    /// Sets the idempotency key, or none.
    pub fn maybe_key(
        self,
        key: Option<Key>,
    ) -> Retry<PolicyRef, Keyed<Operation>, Args, Judge, Instruments, Env, Probe, Success> {
        let Self { setup, operation, probe, outcome } = self;
        Retry { setup, operation: Keyed { operation, key }, probe, outcome }
    }

    /// Guards each attempt with a circuit breaker.
    ///
    /// ```
    /// use std::time::Duration;
    /// use steadfast::guard::{Breaker, BreakerSettings};
    /// use steadfast::{Policy, Reason, retry};
    ///
    /// let breaker = Breaker::new(BreakerSettings::consecutive(2, Duration::from_secs(60)))?;
    /// let policy = Policy::immediate().max_attempts(10).build()?;
    /// let down = || Err::<(), _>(std::io::Error::from(std::io::ErrorKind::ConnectionRefused));
    /// let error = retry(&policy, down).breaker(&breaker).call().unwrap_err();
    /// assert_eq!((error.reason(), error.attempts()), (Reason::BreakerOpen, 2));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn breaker(
        self,
        breaker: &Breaker,
    ) -> Retry<
        PolicyRef,
        Operation,
        Args,
        Judge,
        (Instruments, BreakerGuard<&Breaker>),
        Env,
        Probe,
        Success,
    > {
        self.instrument(BreakerGuard::new(breaker))
    }

    /// Withdraws every retry from a budget.
    ///
    /// ```
    /// use steadfast::guard::{Budget, BudgetSettings};
    /// use steadfast::{Policy, Reason, retry};
    ///
    /// let budget = Budget::new(BudgetSettings::Rate { retries_per_second: 1.0 })?;
    /// let policy = Policy::immediate().max_attempts(10).build()?;
    /// let down = || Err::<(), _>(std::io::Error::from(std::io::ErrorKind::ConnectionRefused));
    /// let error = retry(&policy, down).budget(&budget).call().unwrap_err();
    /// assert_eq!((error.reason(), error.attempts()), (Reason::BudgetExhausted, 2));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn budget(
        self,
        budget: &Budget,
    ) -> Retry<
        PolicyRef,
        Operation,
        Args,
        Judge,
        (Instruments, BudgetGuard<&Budget>),
        Env,
        Probe,
        Success,
    > {
        self.instrument(BudgetGuard(budget))
    }

    /// Adds another guard or observer.
    pub fn instrument<New: Instrument>(
        self,
        instrument: New,
    ) -> Retry<PolicyRef, Operation, Args, Judge, (Instruments, New), Env, Probe, Success> {
        let Self { setup, operation, probe, outcome } = self;
        let Setup { policy, judges, instruments, environment } = setup;
        let instruments = (instruments, instrument);
        let setup = Setup { policy, judges, instruments, environment };
        Retry { setup, operation, probe, outcome }
    }

    /// Calls a function before each retry, with the fault and the delay.
    ///
    /// ```
    /// use steadfast::{Policy, retry};
    ///
    /// let policy = Policy::immediate().build()?;
    /// let mut failed = Vec::new();
    /// let down = || Err::<(), _>(std::io::Error::from(std::io::ErrorKind::ConnectionRefused));
    /// let _ = retry(&policy, down).on_retry(|event| failed.push(event.attempt)).call();
    /// assert_eq!(failed, [1, 2]);
    /// # Ok::<(), steadfast::policy::PolicyError>(())
    /// ```
    pub fn on_retry<H: FnMut(&SessionEvent<'_>)>(
        self,
        hook: H,
    ) -> Retry<PolicyRef, Operation, Args, Judge, (Instruments, Hook<H>), Env, Probe, Success> {
        let is_kind = |kind: &EventKind<'_>| matches!(kind, EventKind::Retrying { .. });
        self.instrument(Hook { is_kind, call: hook })
    }

    /// Calls a function when the session gives up.
    ///
    /// ```
    /// use steadfast::drive::EventKind;
    /// use steadfast::{Policy, Reason, retry};
    ///
    /// let policy = Policy::immediate().build()?;
    /// let mut why = None;
    /// let _ = retry(&policy, || Err::<(), _>(std::io::Error::other("broken")))
    ///     .on_give_up(|event| {
    ///         if let EventKind::GaveUp { reason, .. } = event.kind {
    ///             why = Some(reason);
    ///         }
    ///     })
    ///     .call();
    /// assert_eq!(why, Some(Reason::Final));
    /// # Ok::<(), steadfast::policy::PolicyError>(())
    /// ```
    pub fn on_give_up<H: FnMut(&SessionEvent<'_>)>(
        self,
        hook: H,
    ) -> Retry<PolicyRef, Operation, Args, Judge, (Instruments, Hook<H>), Env, Probe, Success> {
        let is_kind = |kind: &EventKind<'_>| matches!(kind, EventKind::GaveUp { .. });
        self.instrument(Hook { is_kind, call: hook })
    }

    /// Calls a function when the session succeeds.
    ///
    /// ```
    /// use steadfast::{Key, Policy, retry};
    ///
    /// let policy = Policy::immediate().build()?;
    /// let mut attempts = 0;
    /// retry(&policy, || Ok::<_, std::io::Error>(()))
    ///     .maybe_key(Some(Key::fresh()))
    ///     .on_success(|event| attempts = event.attempt)
    ///     .call()?;
    /// assert_eq!(attempts, 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn on_success<H: FnMut(&SessionEvent<'_>)>(
        self,
        hook: H,
    ) -> Retry<PolicyRef, Operation, Args, Judge, (Instruments, Hook<H>), Env, Probe, Success> {
        let is_kind = |kind: &EventKind<'_>| matches!(kind, EventKind::Succeeded);
        self.instrument(Hook { is_kind, call: hook })
    }

    /// Sets a probe: after an attempt with an unknown outcome, the function finds out by the
    /// session's key whether the attempt took effect (I12). It returns an
    /// [`Effect`](crate::Effect), or a future of one if the operation is async.
    ///
    /// ```
    /// use steadfast::{Attempt, Effect, Fault, Key, Policy, retry};
    ///
    /// // An insert whose response was lost, and a query that finds the inserted row.
    /// let insert = |_: Attempt| Err::<u32, _>("no response");
    /// let find_row = |_key: Key| Effect::Yes(7);
    ///
    /// let policy = Policy::immediate().idempotent(false).build()?;
    /// let row = retry(&policy, insert)
    ///     .facts(|_: &&str| Fault::sql("08007"))
    ///     .probe(find_row)
    ///     .call();
    /// assert_eq!(row.unwrap(), 7);
    /// # Ok::<(), steadfast::policy::PolicyError>(())
    /// ```
    pub fn probe<ProbeFn>(
        self,
        probe: ProbeFn,
    ) -> Retry<PolicyRef, Operation, Args, Judge, Instruments, Env, FromFn<ProbeFn>, Success> {
        let Self { setup, operation, outcome, .. } = self;
        Retry { setup, operation, probe: FromFn(probe), outcome }
    }

    /// On success, returns the value with a [`Report`](crate::Report) of the session.
    pub fn with_report(
        self,
    ) -> Retry<PolicyRef, Operation, Args, Judge, Instruments, Env, Probe, WithReport<Success>>
    {
        let Self { setup, operation, probe, .. } = self;
        Retry { setup, operation, probe, outcome: PhantomData }
    }

    /// On success, passes the value to the instruments: a
    /// [`Recorder`](crate::observe::Recorder) stores it in the session's record, with secrets
    /// redacted (O1, O5). A value that cannot be serialized as JSON is not recorded.
    ///
    /// ```
    /// use steadfast::observe::{Memory, Recorder};
    /// use steadfast::{Policy, retry};
    ///
    /// let memory = Memory::default();
    /// let policy = Policy::immediate().build()?;
    /// retry(&policy, || Ok::<_, std::io::Error>(["saved"]))
    ///     .instrument(Recorder::new(&memory))
    ///     .record_result()
    ///     .call()?;
    /// assert_eq!(memory.sessions()[0].final_result, Some(serde_json::json!(["saved"])));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn record_result(
        self,
    ) -> Retry<PolicyRef, Operation, Args, Judge, Instruments, Env, Probe, Recorded<Success>> {
        let Self { setup, operation, probe, .. } = self;
        Retry { setup, operation, probe, outcome: PhantomData }
    }

    /// Sets another clock, timer and source of randomness.
    ///
    /// ```
    /// use std::cell::Cell;
    /// use std::time::Duration;
    /// use steadfast::drive::{BlockingSleeper, Environment};
    /// use steadfast::{Moment, Policy, retry};
    ///
    /// /// A clock that advances by each delay instead of waiting.
    /// struct Instantly<'a>(&'a Cell<Duration>);
    ///
    /// impl Environment for Instantly<'_> {
    ///     fn now(&self) -> Moment {
    ///         Moment::ORIGIN + self.0.get()
    ///     }
    /// }
    ///
    /// impl BlockingSleeper for Instantly<'_> {
    ///     fn block(&self, delay: Duration) {
    ///         self.0.set(self.0.get() + delay);
    ///     }
    /// }
    ///
    /// let waited = Cell::new(Duration::ZERO);
    /// let policy = Policy::exponential(Duration::from_secs(60)).max_delay(Duration::from_secs(3600));
    /// let down = || Err::<(), _>(std::io::Error::from(std::io::ErrorKind::ConnectionRefused));
    /// let _ = retry(&policy.build()?, down).environment(Instantly(&waited)).call();
    /// assert_eq!(waited.get(), Duration::from_secs(60 + 120));
    /// # Ok::<(), steadfast::policy::PolicyError>(())
    /// ```
    pub fn environment<NewEnv: Environment>(
        self,
        environment: NewEnv,
    ) -> Retry<PolicyRef, Operation, Args, Judge, Instruments, NewEnv, Probe, Success> {
        self.map_environment(|_| environment)
    }

    /// Seeds the randomness, so that runs are repeatable.
    ///
    /// ```
    /// use std::time::Duration;
    /// use steadfast::{Jitter, Policy, retry};
    ///
    /// let policy = Policy::fixed(Duration::from_micros(50)).jitter(Jitter::Full).build()?;
    /// let down = || Err::<(), _>(std::io::Error::from(std::io::ErrorKind::ConnectionRefused));
    /// let run = || retry(&policy, down).seed(42).call().unwrap_err().into_gave_up().elapsed;
    /// assert_eq!(run(), run());
    /// # Ok::<(), steadfast::policy::PolicyError>(())
    /// ```
    pub fn seed(
        self,
        seed: u64,
    ) -> Retry<PolicyRef, Operation, Args, Judge, Instruments, Seeded<Env>, Probe, Success> {
        self.map_environment(|environment| Seeded::new(environment, seed))
    }

    /// Lets a handle cancel the session.
    pub fn cancel_with(
        self,
        handle: &CancelHandle,
    ) -> Retry<PolicyRef, Operation, Args, Judge, Instruments, Cancellable<Env>, Probe, Success>
    {
        self.map_environment(|environment| Cancellable::new(environment, Some(handle.clone())))
    }

    fn map_environment<NewEnv>(
        self,
        map: impl FnOnce(Env) -> NewEnv,
    ) -> Retry<PolicyRef, Operation, Args, Judge, Instruments, NewEnv, Probe, Success> {
        let Self { setup, operation, probe, outcome } = self;
        let Setup { policy, judges, instruments, environment } = setup;
        let environment = map(environment);
        let setup = Setup { policy, judges, instruments, environment };
        Retry { setup, operation, probe, outcome }
    }

    fn map_judges<NewJudge>(
        self,
        map: impl FnOnce(Judge) -> NewJudge,
    ) -> Retry<PolicyRef, Operation, Args, NewJudge, Instruments, Env, Probe, Success> {
        let Self { setup, operation, probe, outcome } = self;
        let Setup { policy, judges, instruments, environment } = setup;
        let judges = map(judges);
        let setup = Setup { policy, judges, instruments, environment };
        Retry { setup, operation, probe, outcome }
    }
}

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
{
    /// Sets the function that extracts the facts of an error that does not implement [`Failure`](crate::Failure).
    ///
    /// ```
    /// use steadfast::{Fault, Kind, Policy, retry};
    ///
    /// let policy = Policy::immediate().build()?;
    /// let error = retry(&policy, || Err::<(), _>("busy"))
    ///     .facts(|error: &&str| if *error == "busy" { Fault::of(Kind::Timeout) } else { Fault::default() })
    ///     .call()
    ///     .unwrap_err();
    /// assert_eq!(error.attempts(), 3);
    /// # Ok::<(), steadfast::policy::PolicyError>(())
    /// ```
    pub fn facts<H>(
        self,
        facts: H,
    ) -> Retry<
        PolicyRef,
        Operation,
        Args,
        Judges<FromFn<H>, Values, Override>,
        Instruments,
        Env,
        Probe,
        Success,
    > {
        self.map_judges(|Judges { values, class_override, .. }| Judges {
            facts: FromFn(facts),
            values,
            class_override,
        })
    }

    /// Sets a function that gives a class before any rule applies; `None` applies the rules.
    ///
    /// ```
    /// use steadfast::{Class, Policy, retry};
    ///
    /// let policy = Policy::immediate().build()?;
    /// let locked = || Err::<(), _>(std::io::Error::from(std::io::ErrorKind::ResourceBusy));
    /// let error = retry(&policy, locked).judge(|_| Some(Class::Retryable)).call().unwrap_err();
    /// assert_eq!(error.attempts(), 3);
    /// # Ok::<(), steadfast::policy::PolicyError>(())
    /// ```
    pub fn judge<H: Fn(&Fault) -> Option<Class>>(
        self,
        judge: H,
    ) -> Retry<
        PolicyRef,
        Operation,
        Args,
        Judges<Facts, Values, FromFn<H>>,
        Instruments,
        Env,
        Probe,
        Success,
    > {
        self.map_judges(|Judges { facts, values, .. }| Judges {
            facts,
            values,
            class_override: FromFn(judge),
        })
    }

    /// Retries until the value passes the test (I3).
    ///
    /// ```
    /// use steadfast::{Policy, retry};
    ///
    /// let policy = Policy::immediate().build()?;
    /// let mut count = 0;
    /// let third = retry(&policy, || { count += 1; Ok::<_, std::io::Error>(count) })
    ///     .until(|count| *count == 3)
    ///     .call()?;
    /// assert_eq!(third, 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn until<T, H: Fn(&T) -> bool>(
        self,
        accept: H,
    ) -> Retry<
        PolicyRef,
        Operation,
        Args,
        Judges<Facts, Until<H>, Override>,
        Instruments,
        Env,
        Probe,
        Success,
    > {
        self.map_judges(|Judges { facts, class_override, .. }| Judges {
            facts,
            values: Until(accept),
            class_override,
        })
    }

    /// Sets a function that finds faults in values: a 503 is a value of an HTTP client, but a failure (I3).
    ///
    /// ```
    /// use steadfast::{Fault, Policy, retry};
    ///
    /// let policy = Policy::immediate().build()?;
    /// let busy = || Ok::<u16, std::io::Error>(503);
    /// let error = retry(&policy, busy)
    ///     .value_facts(|status: &u16| (*status >= 400).then(|| Fault::http(*status)))
    ///     .call()
    ///     .unwrap_err();
    /// assert_eq!(error.attempts(), 3);
    /// assert_eq!(error.into_value(), Some(503));
    /// # Ok::<(), steadfast::policy::PolicyError>(())
    /// ```
    pub fn value_facts<T, H: Fn(&T) -> Option<Fault>>(
        self,
        facts: H,
    ) -> Retry<
        PolicyRef,
        Operation,
        Args,
        Judges<Facts, FromFn<H>, Override>,
        Instruments,
        Env,
        Probe,
        Success,
    > {
        self.map_judges(|Judges { facts: error_facts, class_override, .. }| Judges {
            facts: error_facts,
            values: FromFn(facts),
            class_override,
        })
    }
}
