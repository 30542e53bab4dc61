//! The call: what to try, and all that can be said about how.

use std::marker::PhantomData;
#[cfg(feature = "file")]
use std::sync::Arc;

use super::Key;
use super::cancel::{CancelHandle, Cancellable};
use super::environment::{Environment, Named, Real, Seeded};
use super::hooks::{Hook, When};
use super::instrument::{Instrument, SessionEvent};
use super::judges::{Any, By, Judges, Never, Own, Until};
use super::operation::{Callable, Keyed};
use super::probe::Unprobed;
use super::report::{Bare, Shown, WithReport};
use super::session::Setup;
use crate::guard::{Breaker, BreakerGuard, Budget, BudgetGuard};
use crate::observe::Unasked;
#[cfg(feature = "file")]
use crate::observe::{Expected, Sessions};
use crate::policy::Policy;
use crate::{Class, Fault};

/// Tries an operation under a policy.
///
/// The operation is a function of nothing, or of the [`Attempt`](crate::Attempt). If it
/// returns a future, await this; if it returns a result, [`call`](Retry::call) it.
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
pub fn retry<M, Op: Callable<M>>(policy: &Policy, operation: Op) -> Retry<&Policy, Op, M> {
    Retry {
        setup: Setup {
            policy,
            judges: Judges { facts: Own, values: Any, overrule: Never },
            instruments: Unasked::default(),
            environment: Real,
        },
        operation,
        probe: Unprobed,
        outcome: PhantomData,
    }
}

#[cfg(feature = "file")]
impl<'n, Op, M>
    Retry<Arc<Policy>, Op, M, Judges, (Unasked, Expected), Cancellable<Named<'n, Real, true>>>
{
    /// A session that owns its policy, and is listed if it lingers.
    #[inline]
    pub(crate) fn holding(
        policy: Arc<Policy>,
        name: &'n str,
        sessions: Sessions,
        cancelled: Option<CancelHandle>,
        operation: Op,
    ) -> Self {
        let setup = Setup {
            policy,
            judges: Judges { facts: Own, values: Any, overrule: Never },
            instruments: (Unasked::default(), Expected::new(sessions)),
            environment: Cancellable::new(Named::new(Real, name), cancelled),
        };
        Self { setup, operation, probe: Unprobed, outcome: PhantomData }
    }
}

/// An operation, a policy, and all that is said about how to try. Made by [`retry`].
///
/// # "`Retry` is not a future"
///
/// The compiler says so of an operation that is async when something is missing:
///
/// - Its error does not tell its facts. Derive [`Fault`](macro@crate::Fault) for it, or give
///   [`facts`](Retry::facts).
/// - There is no timer. Turn the feature `tokio` on, or give an
///   [`environment`](Retry::environment).
///
/// An operation that is not async is [called](Retry::call), not awaited.
#[must_use = "await it, or `call` it if the operation is not async"]
pub struct Retry<L, Op, M, J = Judges, G = Unasked, Z = Real, P = Unprobed, R = Bare> {
    pub(super) setup: Setup<L, J, G, Z>,
    pub(super) operation: Op,
    pub(super) probe: P,
    pub(super) outcome: PhantomData<fn() -> (M, R)>,
}

impl<L, Op, M, J, G, Z, P, R> Retry<L, Op, M, J, G, Z, P, R> {
    /// What the operation is called in logs, events and metrics. Otherwise it is the policy's id.
    pub fn named(self, operation: &str) -> Retry<L, Op, M, J, G, Named<'_, Z>, P, R> {
        self.map_environment(|environment| Named::new(environment, operation))
    }

    /// The idempotency key, instead of a fresh one (J9). Give one only if the other side
    /// honours it: it makes an attempt safe to repeat.
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
    pub fn key(self, key: impl Into<Key>) -> Retry<L, Keyed<Op>, M, J, G, Z, P, R> {
        self.maybe_key(Some(key.into()))
    }

    /// The idempotency key, if there is one.
    pub fn maybe_key(self, key: Option<Key>) -> Retry<L, Keyed<Op>, M, J, G, Z, P, R> {
        let Self { setup, operation, probe, outcome } = self;
        Retry { setup, operation: Keyed { operation, key }, probe, outcome }
    }

    /// Asks a breaker before each attempt, and tells it how the attempt ended.
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
    ) -> Retry<L, Op, M, J, (G, BreakerGuard<&Breaker>), Z, P, R> {
        self.instrument(BreakerGuard::new(breaker))
    }

    /// Draws every retry from a budget.
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
    pub fn budget(self, budget: &Budget) -> Retry<L, Op, M, J, (G, BudgetGuard<&Budget>), Z, P, R> {
        self.instrument(BudgetGuard(budget))
    }

    /// Anything else that guards or observes.
    pub fn instrument<I: Instrument>(self, instrument: I) -> Retry<L, Op, M, J, (G, I), Z, P, R> {
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
    /// let mut seen = Vec::new();
    /// let down = || Err::<(), _>(std::io::Error::from(std::io::ErrorKind::ConnectionRefused));
    /// let _ = retry(&policy, down).on_retry(|happening| seen.push(happening.attempt)).call();
    /// assert_eq!(seen, [1, 2]);
    /// # Ok::<(), steadfast::policy::PolicyError>(())
    /// ```
    pub fn on_retry<H: FnMut(&SessionEvent<'_>)>(
        self,
        hook: H,
    ) -> Retry<L, Op, M, J, (G, Hook<H>), Z, P, R> {
        self.instrument(Hook { when: When::Retrying, call: hook })
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
    ///     .on_give_up(|happening| {
    ///         if let EventKind::GaveUp { reason, .. } = happening.what {
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
    ) -> Retry<L, Op, M, J, (G, Hook<H>), Z, P, R> {
        self.instrument(Hook { when: When::GaveUp, call: hook })
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
    ///     .on_success(|happening| attempts = happening.attempt)
    ///     .call()?;
    /// assert_eq!(attempts, 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn on_success<H: FnMut(&SessionEvent<'_>)>(
        self,
        hook: H,
    ) -> Retry<L, Op, M, J, (G, Hook<H>), Z, P, R> {
        self.instrument(Hook { when: When::Succeeded, call: hook })
    }

    /// After an attempt whose outcome is unknown, asks whether it took effect, by the
    /// session's key (I12). The function returns an [`Effect`](crate::Effect), or a future of
    /// one if the operation is async.
    ///
    /// ```
    /// use steadfast::{Attempt, Effect, Fault, Key, Policy, retry};
    ///
    /// // An insert whose answer was lost, and a way to look whether it happened.
    /// let lost = |_: Attempt| Err::<u32, _>("no answer");
    /// let look = |_key: Key| Effect::Yes(7);
    ///
    /// let policy = Policy::immediate().idempotent(false).build()?;
    /// let row = retry(&policy, lost)
    ///     .facts(|_: &&str| Fault::sql("08007"))
    ///     .probe(look)
    ///     .call();
    /// assert_eq!(row.unwrap(), 7);
    /// # Ok::<(), steadfast::policy::PolicyError>(())
    /// ```
    pub fn probe<Q>(self, probe: Q) -> Retry<L, Op, M, J, G, Z, By<Q>, R> {
        let Self { setup, operation, outcome, .. } = self;
        Retry { setup, operation, probe: By(probe), outcome }
    }

    /// On success, returns the value and a [`Report`](crate::Report) of what it took.
    pub fn with_report(self) -> Retry<L, Op, M, J, G, Z, P, WithReport<R>> {
        let Self { setup, operation, probe, .. } = self;
        Retry { setup, operation, probe, outcome: PhantomData }
    }

    /// On success, shows the value to the instruments as well: a
    /// [`Recorder`](crate::observe::Recorder) writes it into the session's record, without its
    /// secrets (O1, O5). Only whoever asks for it pays for it; what has no form in JSON is left
    /// out.
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
    pub fn record_result(self) -> Retry<L, Op, M, J, G, Z, P, Shown<R>> {
        let Self { setup, operation, probe, .. } = self;
        Retry { setup, operation, probe, outcome: PhantomData }
    }

    /// Another clock, timer and source of chance.
    ///
    /// ```
    /// use std::cell::Cell;
    /// use std::time::Duration;
    /// use steadfast::drive::{BlockingSleeper, Environment};
    /// use steadfast::{Moment, Policy, retry};
    ///
    /// /// A world in which waiting takes no time, and is written down.
    /// struct Quick<'a>(&'a Cell<Duration>);
    ///
    /// impl Environment for Quick<'_> {
    ///     fn now(&self) -> Moment {
    ///         Moment::ORIGIN + self.0.get()
    ///     }
    /// }
    ///
    /// impl BlockingSleeper for Quick<'_> {
    ///     fn block(&self, delay: Duration) {
    ///         self.0.set(self.0.get() + delay);
    ///     }
    /// }
    ///
    /// let waited = Cell::new(Duration::ZERO);
    /// let policy = Policy::exponential(Duration::from_secs(60)).max_delay(Duration::from_secs(3600));
    /// let down = || Err::<(), _>(std::io::Error::from(std::io::ErrorKind::ConnectionRefused));
    /// let _ = retry(&policy.build()?, down).environment(Quick(&waited)).call();
    /// assert_eq!(waited.get(), Duration::from_secs(60 + 120));
    /// # Ok::<(), steadfast::policy::PolicyError>(())
    /// ```
    pub fn environment<Y: Environment>(self, environment: Y) -> Retry<L, Op, M, J, G, Y, P, R> {
        self.map_environment(|_| environment)
    }

    /// The same chance every time, for runs that can be repeated.
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
    pub fn seed(self, seed: u64) -> Retry<L, Op, M, J, G, Seeded<Z>, P, R> {
        self.map_environment(|environment| Seeded::new(environment, seed))
    }

    /// Lets a handle cancel the session.
    pub fn cancel_with(self, handle: &CancelHandle) -> Retry<L, Op, M, J, G, Cancellable<Z>, P, R> {
        self.map_environment(|environment| Cancellable::new(environment, Some(handle.clone())))
    }

    fn map_environment<Y>(self, map: impl FnOnce(Z) -> Y) -> Retry<L, Op, M, J, G, Y, P, R> {
        let Self { setup, operation, probe, outcome } = self;
        let Setup { policy, judges, instruments, environment } = setup;
        let environment = map(environment);
        let setup = Setup { policy, judges, instruments, environment };
        Retry { setup, operation, probe, outcome }
    }

    fn map_judges<K>(self, map: impl FnOnce(J) -> K) -> Retry<L, Op, M, K, G, Z, P, R> {
        let Self { setup, operation, probe, outcome } = self;
        let Setup { policy, judges, instruments, environment } = setup;
        let judges = map(judges);
        let setup = Setup { policy, judges, instruments, environment };
        Retry { setup, operation, probe, outcome }
    }
}

impl<L, Op, M, F, V, O, G, Z, P, R> Retry<L, Op, M, Judges<F, V, O>, G, Z, P, R> {
    /// How facts are drawn from an error that does not tell them itself.
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
    pub fn facts<H>(self, facts: H) -> Retry<L, Op, M, Judges<By<H>, V, O>, G, Z, P, R> {
        self.map_judges(|Judges { values, overrule, .. }| Judges {
            facts: By(facts),
            values,
            overrule,
        })
    }

    /// A class given in code, before any rule: nothing leaves it to the rules.
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
    ) -> Retry<L, Op, M, Judges<F, V, By<H>>, G, Z, P, R> {
        self.map_judges(|Judges { facts, values, .. }| Judges {
            facts,
            values,
            overrule: By(judge),
        })
    }

    /// Tries again until the value passes the test (I3).
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
        good: H,
    ) -> Retry<L, Op, M, Judges<F, Until<H>, O>, G, Z, P, R> {
        self.map_judges(|Judges { facts, overrule, .. }| Judges {
            facts,
            values: Until(good),
            overrule,
        })
    }

    /// Finds faults in values, too: an HTTP answer is a value, but a 503 will not do (I3).
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
        facts_of: H,
    ) -> Retry<L, Op, M, Judges<F, By<H>, O>, G, Z, P, R> {
        self.map_judges(|Judges { facts, overrule, .. }| Judges {
            facts,
            values: By(facts_of),
            overrule,
        })
    }
}
