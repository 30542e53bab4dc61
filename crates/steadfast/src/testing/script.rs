//! Operations with scripted outcomes.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::VirtualClock;

/// An operation whose outcomes are given in advance, one for each attempt.
///
/// ```
/// use std::time::Duration;
/// use steadfast::testing::{Script, VirtualClock};
/// use steadfast::{Fault, Kind, Policy, retry};
///
/// let clock = VirtualClock::new();
/// let late = Fault::of(Kind::Timeout);
/// let script = Script::on(&clock).fail(late).takes(Duration::from_secs(5)).succeed(7);
/// let policy = Policy::immediate().build()?;
///
/// let session = retry(&policy, || script.call_async()).environment(&clock);
///
/// assert_eq!(clock.block_on(session).unwrap(), 7);
/// assert_eq!((script.calls(), clock.elapsed()), (2, Duration::from_secs(5)));
/// # Ok::<(), steadfast::policy::PolicyError>(())
/// ```
#[must_use = "call it in an operation"]
pub struct Script<T, E> {
    clock: Option<VirtualClock>,
    calls: Mutex<Calls<T, E>>,
}

struct Calls<T, E> {
    outcomes: VecDeque<Scripted<T, E>>,
    count: usize,
}

struct Scripted<T, E> {
    outcome: Result<T, E>,
    takes: Duration,
}

impl<T, E> Default for Script<T, E> {
    fn default() -> Self {
        let calls = Calls { outcomes: VecDeque::new(), count: 0 };
        Self { clock: None, calls: Mutex::new(calls) }
    }
}

impl<T, E> Script<T, E> {
    /// A script without outcomes, whose attempts take no time.
    pub fn new() -> Self {
        Self::default()
    }

    /// A script without outcomes, whose attempts may [take](Self::takes) time of this clock.
    pub fn on(clock: &VirtualClock) -> Self {
        Self { clock: Some(clock.clone()), ..Self::default() }
    }

    /// Adds a failure.
    pub fn fail(self, error: E) -> Self {
        self.then(Err(error))
    }

    /// Adds a number of failures.
    pub fn fail_times(self, count: usize, error: impl Fn() -> E) -> Self {
        (0..count).fold(self, |script, _| script.fail(error()))
    }

    /// Adds a success.
    pub fn succeed(self, value: T) -> Self {
        self.then(Ok(value))
    }

    fn then(self, outcome: Result<T, E>) -> Self {
        self.state().outcomes.push_back(Scripted { outcome, takes: Duration::ZERO });
        self
    }

    /// Sets how long the attempt with the outcome before takes.
    ///
    /// # Panics
    /// The script has no [clock](Self::on), or no outcome yet.
    #[track_caller]
    pub fn takes(self, time: Duration) -> Self {
        assert!(self.clock.is_some(), "attempts take time of a clock: start with `Script::on`");
        match self.state().outcomes.back_mut() {
            Some(last) => last.takes = time,
            None => no_outcome("add an outcome before `takes`"),
        }
        self
    }

    /// The next outcome.
    ///
    /// # Errors
    /// The next outcome is a failure.
    ///
    /// # Panics
    /// The script has ended.
    #[track_caller]
    pub fn call(&self) -> Result<T, E> {
        let Scripted { outcome, takes } = self.next();
        if let Some(clock) = &self.clock {
            clock.advance(takes);
        }
        outcome
    }

    /// The next outcome, after the time that it takes.
    ///
    /// # Panics
    /// The script has ended.
    #[track_caller]
    pub fn call_async(&self) -> impl Future<Output = Result<T, E>> + use<T, E> {
        let Scripted { outcome, takes } = self.next();
        let timer =
            self.clock.as_ref().filter(|_| !takes.is_zero()).map(|clock| clock.elapse(takes));
        async {
            if let Some(timer) = timer {
                timer.await;
            }
            outcome
        }
    }

    /// The number of calls so far.
    #[must_use]
    pub fn calls(&self) -> usize {
        self.state().count
    }

    /// Checks that every outcome was used.
    ///
    /// # Panics
    /// Outcomes are left.
    #[track_caller]
    pub fn assert_finished(&self) {
        let Calls { outcomes, count } = &*self.state();
        let left = outcomes.len();
        assert!(left == 0, "{left} of {} scripted outcomes are left", left + count);
    }

    #[track_caller]
    fn next(&self) -> Scripted<T, E> {
        let mut state = self.state();
        let next = state.outcomes.pop_front();
        let count = state.count;
        state.count += next.is_some() as usize;
        drop(state);
        next.unwrap_or_else(|| {
            no_outcome(&format!("this is call {}, but the script has {count} outcomes", count + 1))
        })
    }

    fn state(&self) -> MutexGuard<'_, Calls<T, E>> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[track_caller]
#[allow(clippy::panic, reason = "the test is wrong")]
fn no_outcome(message: &str) -> ! {
    panic!("{message}");
}

impl<T, E> fmt::Debug for Script<T, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Calls { outcomes, count } = &*self.state();
        f.debug_struct("Script").field("calls", count).field("left", &outcomes.len()).finish()
    }
}
