//! The builder of a retry session: [`retry`] and [`Retry`].

use std::error::Error;
use std::fmt;
use std::marker::{PhantomData, PhantomPinned};
use std::ops::Deref;
#[cfg(feature = "file")]
use std::sync::Arc;
use std::time::Duration;

use pin_project_lite::pin_project;

use super::Key;
use super::cancel::{CancelHandle, Cancellable};
use super::context::CallContext;
use super::environment::{Environment, Named, Real, Seeded, SleepBy};
use super::future::{Stage, on_drop};
use super::hooks::{AttemptFailed, Hook, OnRetry};
use super::instrument::{EventKind, Instrument, SessionEvent};
#[cfg(feature = "tower")]
use super::judges::OpaqueFacts;
use super::judges::{
    AnyValue, FactsSource, FromFn, Judges, JudgesOf, NoOverride, OwnFacts, Until, ValueFacts, When,
};
use super::operation::{Callable, Keyed};
use super::probe::{NoProbe, Probes};
#[cfg(feature = "record")]
use super::report::Recorded;
use super::report::{ValueOnly, WithReport};
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
pub fn retry<Shape, Operation: Callable<Shape>>(
    policy: &Policy,
    operation: Operation,
) -> Retry<&Policy, Operation, Shape> {
    let context = CallContext {
        judges: Judges { facts: OwnFacts, values: AnyValue, class_override: NoOverride },
        instruments: DefaultInstrument::default(),
        environment: Real,
    };
    Retry::new(Parts { policy, context, operation, probe: NoProbe })
}

#[cfg(feature = "file")]
impl<'n, Operation: Callable<Shape>, Shape>
    Retry<
        Arc<Policy>,
        Operation,
        Shape,
        Judges,
        (DefaultInstrument, LazyTracked),
        Cancellable<Named<'n, Real, true>>,
    >
{
    /// A session that owns its policy and is listed among the running sessions when it waits.
    #[inline(always)]
    pub(crate) fn holding(
        policy: Arc<Policy>,
        name: &'n str,
        sessions: Sessions,
        cancelled: Option<CancelHandle>,
        operation: Operation,
    ) -> Self {
        let context = CallContext {
            judges: Judges { facts: OwnFacts, values: AnyValue, class_override: NoOverride },
            instruments: (DefaultInstrument::default(), LazyTracked::new(sessions)),
            environment: Cancellable::new(Named::new(Real, name), cancelled),
        };
        Self::new(Parts { policy, context, operation, probe: NoProbe })
    }
}

pin_project! {
    /// An operation, its policy and the settings of the session. Made by [`retry`].
    ///
    /// If the operation is async, it is a future: await it, or pass it to `tokio::spawn` or
    /// `join_all`. Otherwise [`call`](Retry::call) it.
    ///
    /// ```
    /// use std::sync::LazyLock;
    /// use steadfast::{Policy, retry};
    ///
    /// static POLICY: LazyLock<Policy> = LazyLock::new(Policy::default);
    ///
    /// # async fn fetch() -> std::io::Result<u8> { Ok(7) }
    /// # #[cfg(feature = "tokio")]
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let task = tokio::spawn(retry(&POLICY, fetch));
    /// assert_eq!(task.await??, 7);
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "tokio"))]
    /// # fn main() {}
    /// ```
    ///
    /// An async operation needs a timer, which the feature `tokio` or [`sleep`](Retry::sleep) provides,
    /// and an error whose facts are known: derive [`Fault`](macro@crate::Fault) for your own types, or
    /// pass [`when`](Retry::when) or [`facts`](Retry::facts).
    #[must_use = "await it, or `call` it if the operation is not async"]
    pub struct Retry<
        PolicyRef,
        Operation,
        Shape,
        Judge = Judges,
        Instruments = DefaultInstrument,
        Env = Real,
        Probe = NoProbe,
        Success = ValueOnly,
    >
    where
        PolicyRef: Deref<Target = Policy>,
        Operation: Callable<Shape>,
        Judge: JudgesOf<Operation::Value>,
        Instruments: Instrument,
        Env: Environment,
        Probe: Probes,
    {
        // `None` only while it is dropped: a type that implements `Drop` cannot be taken apart.
        pub(super) parts: Option<Parts<PolicyRef, Operation, Judge, Instruments, Env, Probe>>,
        #[pin]
        pub(super) stage: Stage<
            Operation::Output,
            Operation::Memory,
            Env::Sleep,
            Probe::Output,
            Operation::Error,
            Judge::Rejected,
        >,
        success: PhantomData<fn() -> Success>,
        // Never `Unpin`, so that a method that consumes it knows that it was not polled.
        #[pin]
        pinned: PhantomPinned,
    }

    impl<PolicyRef, Operation, Shape, Judge, Instruments, Env, Probe, Success> PinnedDrop
        for Retry<PolicyRef, Operation, Shape, Judge, Instruments, Env, Probe, Success>
    where
        PolicyRef: Deref<Target = Policy>,
        Operation: Callable<Shape>,
        Judge: JudgesOf<Operation::Value>,
        Instruments: Instrument,
        Env: Environment,
        Probe: Probes,
    {
        fn drop(this: Pin<&mut Self>) {
            let this = this.project();
            if this.stage.is_running()
                && let Some(parts) = this.parts
                && parts.context.instruments.observes()
            {
                on_drop(parts, &this.stage);
            }
        }
    }
}

/// What a [`Retry`] is made of.
pub(super) struct Parts<PolicyRef, Operation, Judge, Instruments, Env, Probe> {
    pub(super) policy: PolicyRef,
    pub(super) context: CallContext<Judge, Instruments, Env>,
    pub(super) operation: Operation,
    pub(super) probe: Probe,
}

impl<PolicyRef, Operation, Shape, Judge, Instruments, Env, Probe, Success> fmt::Debug
    for Retry<PolicyRef, Operation, Shape, Judge, Instruments, Env, Probe, Success>
where
    PolicyRef: Deref<Target = Policy>,
    Operation: Callable<Shape>,
    Judge: JudgesOf<Operation::Value>,
    Instruments: Instrument,
    Env: Environment,
    Probe: Probes,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Retry").finish_non_exhaustive()
    }
}

impl<PolicyRef, Operation, Shape, Judge, Instruments, Env, Probe, Success>
    Retry<PolicyRef, Operation, Shape, Judge, Instruments, Env, Probe, Success>
where
    PolicyRef: Deref<Target = Policy>,
    Operation: Callable<Shape>,
    Judge: JudgesOf<Operation::Value>,
    Instruments: Instrument,
    Env: Environment,
    Probe: Probes,
{
    #[inline(always)]
    pub(super) fn new(parts: Parts<PolicyRef, Operation, Judge, Instruments, Env, Probe>) -> Self {
        let stage = Stage::new(&parts.policy);
        Self { parts: Some(parts), stage, success: PhantomData, pinned: PhantomPinned }
    }

    #[inline(always)]
    pub(super) fn into_parts(
        mut self,
    ) -> Parts<PolicyRef, Operation, Judge, Instruments, Env, Probe> {
        let parts = self.parts.take();
        // It was not polled, so nothing is left in it. Its destructor would have each step of a builder
        // copy the parts.
        std::mem::forget(self);
        match parts {
            Some(parts) => parts,
            None => unreachable!("the parts are only taken from a `Retry` that is consumed"),
        }
    }

    /// Sets the operation's name in logs, events and metrics. Defaults to the policy's id.
    #[inline(always)]
    pub fn named(
        self,
        operation: &str,
    ) -> Retry<PolicyRef, Operation, Shape, Judge, Instruments, Named<'_, Env>, Probe, Success>
    {
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
    #[inline(always)]
    pub fn key(
        self,
        key: impl Into<Key>,
    ) -> Retry<PolicyRef, Keyed<Operation>, Shape, Judge, Instruments, Env, Probe, Success> {
        self.maybe_key(Some(key.into()))
    }

    /// Sets the idempotency key, or none.
    #[inline(always)]
    pub fn maybe_key(
        self,
        key: Option<Key>,
    ) -> Retry<PolicyRef, Keyed<Operation>, Shape, Judge, Instruments, Env, Probe, Success> {
        let Parts { policy, context, operation, probe } = self.into_parts();
        Retry::new(Parts { policy, context, operation: Keyed { operation, key }, probe })
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
    #[inline(always)]
    pub fn breaker(
        self,
        breaker: &Breaker,
    ) -> Retry<
        PolicyRef,
        Operation,
        Shape,
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
    #[inline(always)]
    pub fn budget(
        self,
        budget: &Budget,
    ) -> Retry<
        PolicyRef,
        Operation,
        Shape,
        Judge,
        (Instruments, BudgetGuard<&Budget>),
        Env,
        Probe,
        Success,
    > {
        self.instrument(BudgetGuard(budget))
    }

    /// Adds another guard or observer.
    #[inline(always)]
    pub fn instrument<New: Instrument>(
        self,
        instrument: New,
    ) -> Retry<PolicyRef, Operation, Shape, Judge, (Instruments, New), Env, Probe, Success> {
        self.map_context(|CallContext { judges, instruments, environment }| CallContext {
            judges,
            instruments: (instruments, instrument),
            environment,
        })
    }

    /// Calls a function on every event of the session.
    ///
    /// ```
    /// use steadfast::drive::EventKind;
    /// use steadfast::{Policy, retry};
    ///
    /// let policy = Policy::immediate().build()?;
    /// let mut failed = Vec::new();
    /// let down = || Err::<(), _>(std::io::Error::from(std::io::ErrorKind::ConnectionRefused));
    /// let _ = retry(&policy, down)
    ///     .on_event(|event| {
    ///         if let EventKind::Retrying { .. } = event.kind {
    ///             failed.push(event.attempt);
    ///         }
    ///     })
    ///     .call();
    /// assert_eq!(failed, [1, 2]);
    /// # Ok::<(), steadfast::policy::PolicyError>(())
    /// ```
    #[inline(always)]
    pub fn on_event<H: FnMut(&SessionEvent<'_>)>(
        self,
        hook: H,
    ) -> Retry<PolicyRef, Operation, Shape, Judge, (Instruments, Hook<H>), Env, Probe, Success>
    {
        self.instrument(Hook { is_kind: |_| true, call: hook })
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
    #[inline(always)]
    pub fn on_give_up<H: FnMut(&SessionEvent<'_>)>(
        self,
        hook: H,
    ) -> Retry<PolicyRef, Operation, Shape, Judge, (Instruments, Hook<H>), Env, Probe, Success>
    {
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
    #[inline(always)]
    pub fn on_success<H: FnMut(&SessionEvent<'_>)>(
        self,
        hook: H,
    ) -> Retry<PolicyRef, Operation, Shape, Judge, (Instruments, Hook<H>), Env, Probe, Success>
    {
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
    /// let insert = |_: Attempt| Err::<u32, _>(Fault::sql("08007"));
    /// let find_row = |_key: Key| Effect::Yes(7);
    ///
    /// let policy = Policy::immediate().idempotent(false).build()?;
    /// let row = retry(&policy, insert).probe(find_row).call();
    /// assert_eq!(row.unwrap(), 7);
    /// # Ok::<(), steadfast::policy::PolicyError>(())
    /// ```
    #[inline(always)]
    pub fn probe<ProbeFn, Output>(
        self,
        probe: ProbeFn,
    ) -> Retry<PolicyRef, Operation, Shape, Judge, Instruments, Env, FromFn<ProbeFn>, Success>
    where
        ProbeFn: FnMut(Key) -> Output,
    {
        let Parts { policy, context, operation, .. } = self.into_parts();
        Retry::new(Parts { policy, context, operation, probe: FromFn(probe) })
    }

    /// On success, returns the value with a [`Report`](crate::Report) of the session.
    #[inline(always)]
    pub fn with_report(
        self,
    ) -> Retry<PolicyRef, Operation, Shape, Judge, Instruments, Env, Probe, WithReport<Success>>
    {
        Retry::new(self.into_parts())
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
    #[cfg(feature = "record")]
    #[inline(always)]
    pub fn record_result(
        self,
    ) -> Retry<PolicyRef, Operation, Shape, Judge, Instruments, Env, Probe, Recorded<Success>> {
        Retry::new(self.into_parts())
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
    ///     type Sleep = ();
    ///
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
    #[inline(always)]
    pub fn environment<NewEnv: Environment>(
        self,
        environment: NewEnv,
    ) -> Retry<PolicyRef, Operation, Shape, Judge, Instruments, NewEnv, Probe, Success> {
        self.map_environment(|_| environment)
    }

    /// Sets another timer: of another async runtime, or one that blocks the thread.
    ///
    /// ```
    /// use std::time::Duration;
    /// use steadfast::{Policy, retry};
    ///
    /// let policy = Policy::fixed(Duration::from_secs(60)).build()?;
    /// let down = || Err::<(), _>(std::io::Error::from(std::io::ErrorKind::ConnectionRefused));
    /// let _ = retry(&policy, down).sleep(|delay| println!("would wait for {delay:?}")).call();
    /// # Ok::<(), steadfast::policy::PolicyError>(())
    /// ```
    ///
    /// With smol it is `.sleep(smol::Timer::after)`, with async-std `.sleep(async_std::task::sleep)`.
    #[inline(always)]
    pub fn sleep<F, Wait>(
        self,
        sleep: F,
    ) -> Retry<PolicyRef, Operation, Shape, Judge, Instruments, SleepBy<Env, F>, Probe, Success>
    where
        F: Fn(Duration) -> Wait,
    {
        self.map_environment(|environment| SleepBy::new(environment, sleep))
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
    #[inline(always)]
    pub fn seed(
        self,
        seed: u64,
    ) -> Retry<PolicyRef, Operation, Shape, Judge, Instruments, Seeded<Env>, Probe, Success> {
        self.map_environment(|environment| Seeded::new(environment, seed))
    }

    /// Lets a handle cancel the session.
    #[inline(always)]
    pub fn cancel_with(
        self,
        handle: &CancelHandle,
    ) -> Retry<PolicyRef, Operation, Shape, Judge, Instruments, Cancellable<Env>, Probe, Success>
    {
        self.map_environment(|environment| Cancellable::new(environment, Some(handle.clone())))
    }

    #[inline(always)]
    fn map_environment<NewEnv: Environment>(
        self,
        map: impl FnOnce(Env) -> NewEnv,
    ) -> Retry<PolicyRef, Operation, Shape, Judge, Instruments, NewEnv, Probe, Success> {
        self.map_context(|CallContext { judges, instruments, environment }| CallContext {
            judges,
            instruments,
            environment: map(environment),
        })
    }

    #[inline(always)]
    fn map_judges<NewJudge: JudgesOf<Operation::Value>>(
        self,
        map: impl FnOnce(Judge) -> NewJudge,
    ) -> Retry<PolicyRef, Operation, Shape, NewJudge, Instruments, Env, Probe, Success> {
        self.map_context(|CallContext { judges, instruments, environment }| CallContext {
            judges: map(judges),
            instruments,
            environment,
        })
    }

    #[inline(always)]
    fn map_context<NewJudge, NewInstruments, NewEnv>(
        self,
        map: impl FnOnce(
            CallContext<Judge, Instruments, Env>,
        ) -> CallContext<NewJudge, NewInstruments, NewEnv>,
    ) -> Retry<PolicyRef, Operation, Shape, NewJudge, NewInstruments, NewEnv, Probe, Success>
    where
        NewJudge: JudgesOf<Operation::Value>,
        NewInstruments: Instrument,
        NewEnv: Environment,
    {
        let Parts { policy, context, operation, probe } = self.into_parts();
        Retry::new(Parts { policy, context: map(context), operation, probe })
    }
}

impl<PolicyRef, Operation, Shape, Facts, Values, Override, Instruments, Env, Probe, Success>
    Retry<
        PolicyRef,
        Operation,
        Shape,
        Judges<Facts, Values, Override>,
        Instruments,
        Env,
        Probe,
        Success,
    >
where
    PolicyRef: Deref<Target = Policy>,
    Operation: Callable<Shape>,
    Values: ValueFacts<Operation::Value>,
    Instruments: Instrument,
    Env: Environment,
    Probe: Probes,
{
    /// Sets the function that extracts the facts of an error of another crate. For your own types,
    /// derive [`Fault`](macro@crate::Fault) or implement [`Failure`](crate::Failure).
    ///
    /// ```
    /// use steadfast::{Fault, Kind, Policy, retry};
    ///
    /// let policy = Policy::immediate().build()?;
    /// let error = retry(&policy, || "".parse::<u16>())
    ///     .facts(|error| match error.kind() {
    ///         std::num::IntErrorKind::Empty => Fault::of(Kind::Timeout),
    ///         _ => Fault::default(),
    ///     })
    ///     .call()
    ///     .unwrap_err();
    /// assert_eq!(error.attempts(), 3);
    /// # Ok::<(), steadfast::policy::PolicyError>(())
    /// ```
    #[inline(always)]
    pub fn facts<H: Fn(&Operation::Error) -> Fault>(
        self,
        facts: H,
    ) -> Retry<
        PolicyRef,
        Operation,
        Shape,
        Judges<Facts::With<FromFn<H>>, Values, Override>,
        Instruments,
        Env,
        Probe,
        Success,
    >
    where
        Facts: FactsSource,
        Operation::Error: Error + 'static,
    {
        self.map_judges(|Judges { facts: source, values, class_override }| Judges {
            facts: source.replace_with(FromFn(facts)),
            values,
            class_override,
        })
    }

    /// The same for errors that need not be standard errors.
    #[cfg(feature = "tower")]
    #[inline(always)]
    pub(crate) fn opaque_facts<H: Fn(&Operation::Error) -> Fault>(
        self,
        facts: H,
    ) -> Retry<
        PolicyRef,
        Operation,
        Shape,
        Judges<OpaqueFacts<H>, Values, Override>,
        Instruments,
        Env,
        Probe,
        Success,
    > {
        self.map_judges(|Judges { values, class_override, .. }| Judges {
            facts: OpaqueFacts(facts),
            values,
            class_override,
        })
    }

    /// Retries the errors for which the function returns `true`, and no others, whatever the rules say.
    /// Requested waits are still honoured, and the policy still limits attempts and delays.
    ///
    /// ```
    /// use steadfast::{Policy, retry};
    ///
    /// let policy = Policy::immediate().build()?;
    /// let error = retry(&policy, || Err::<(), _>("busy")).when(|error| *error == "busy").call();
    /// assert_eq!(error.unwrap_err().attempts(), 3);
    /// # Ok::<(), steadfast::policy::PolicyError>(())
    /// ```
    #[inline(always)]
    pub fn when<H: Fn(&Operation::Error) -> bool>(
        self,
        is_retryable: H,
    ) -> Retry<
        PolicyRef,
        Operation,
        Shape,
        Judges<When<Facts, H>, Values, Override>,
        Instruments,
        Env,
        Probe,
        Success,
    > {
        self.map_judges(|Judges { facts, values, class_override }| Judges {
            facts: When { facts, is_retryable },
            values,
            class_override,
        })
    }

    /// Calls a function before each retry, with the failure and the delay.
    ///
    /// ```
    /// use std::io;
    /// use steadfast::{Policy, retry};
    ///
    /// let policy = Policy::immediate().build()?;
    /// let down = || Err::<(), _>(io::Error::from(io::ErrorKind::ConnectionRefused));
    /// let _ = retry(&policy, down)
    ///     .on_retry(|failed, delay| {
    ///         assert!(failed.error().is_some_and(|error| error.kind() == io::ErrorKind::ConnectionRefused));
    ///         println!("attempt {}: {failed}; retrying in {delay:?}", failed.attempt());
    ///     })
    ///     .call();
    /// # Ok::<(), steadfast::policy::PolicyError>(())
    /// ```
    #[inline(always)]
    pub fn on_retry<H: FnMut(&AttemptFailed<'_, Operation::Error>, Duration)>(
        self,
        hook: H,
    ) -> Retry<
        PolicyRef,
        Operation,
        Shape,
        Judges<OnRetry<Facts, H>, Values, Override>,
        Instruments,
        Env,
        Probe,
        Success,
    > {
        self.map_judges(|Judges { facts, values, class_override }| Judges {
            facts: OnRetry { facts, hook },
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
    #[inline(always)]
    pub fn judge<H: Fn(&Fault) -> Option<Class>>(
        self,
        judge: H,
    ) -> Retry<
        PolicyRef,
        Operation,
        Shape,
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
    #[inline(always)]
    pub fn until<H: Fn(&Operation::Value) -> bool>(
        self,
        accept: H,
    ) -> Retry<
        PolicyRef,
        Operation,
        Shape,
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
    ///     .value_facts(|status| (*status >= 400).then(|| Fault::http(*status)))
    ///     .call()
    ///     .unwrap_err();
    /// assert_eq!(error.attempts(), 3);
    /// assert_eq!(error.into_value(), Some(503));
    /// # Ok::<(), steadfast::policy::PolicyError>(())
    /// ```
    #[inline(always)]
    pub fn value_facts<H: Fn(&Operation::Value) -> Option<Fault>>(
        self,
        facts: H,
    ) -> Retry<
        PolicyRef,
        Operation,
        Shape,
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
