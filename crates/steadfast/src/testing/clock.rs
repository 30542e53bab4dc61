//! A clock whose time passes only while something waits for it.

use std::collections::{BTreeMap, VecDeque};
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use crate::Moment;
use crate::decide::DecisionEnv;
use crate::drive::{BlockingSleeper, Environment, Sleeper};

/// A virtual clock with timers and a source of randomness: an [environment] in which waits take no
/// real time. Clones share the time.
///
/// Whenever a session waits, the clock jumps to the end of the earliest wait. So a test needs no
/// runtime, or any: a session can be awaited on every runtime, or run by [`block_on`](Self::block_on).
/// Only waits for this clock move it; an operation that takes time calls [`advance`](Self::advance)
/// or awaits [`elapse`](Self::elapse). Operations that do real I/O seem to take no time, and their
/// timeouts expire at once: test those with tokio's paused clock, which sessions follow.
///
/// ```
/// use std::time::Duration;
/// use steadfast::testing::VirtualClock;
/// use steadfast::{Policy, Reason, retry};
///
/// let policy = Policy::fixed(Duration::from_secs(3600))
///     .max_attempts(10)
///     .max_duration(Duration::from_secs(3 * 3600))
///     .build()?;
/// let clock = VirtualClock::new();
/// let down = async || Err::<(), _>(std::io::Error::from(std::io::ErrorKind::ConnectionRefused));
///
/// let error = clock.block_on(retry(&policy, down).environment(&clock)).unwrap_err();
///
/// assert_eq!(error.reason(), Reason::OutOfTime);
/// assert_eq!(clock.waits(), [Duration::from_secs(3600); 2]);
/// # Ok::<(), steadfast::policy::PolicyError>(())
/// ```
///
/// [environment]: crate::Retry::environment
#[derive(Clone, Debug, Default)]
pub struct VirtualClock(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    now: Moment,
    is_manual: bool,
    draws: VecDeque<u64>,
    draw_count: usize,
    waits: Vec<Duration>,
    /// The pending timers, by their end and number.
    timers: BTreeMap<(Moment, u64), Timer>,
    timer_count: u64,
    poll_count: u64,
}

#[derive(Debug)]
struct Timer {
    waker: Waker,
    /// The value of `poll_count` when it was last polled.
    last_poll: u64,
}

impl VirtualClock {
    /// A clock that moves whenever something waits for it.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A clock that only [`advance`](Self::advance) moves, to stop a session in the middle of a wait.
    ///
    /// ```
    /// use std::pin::pin;
    /// use std::task::{Context, Waker};
    /// use std::time::Duration;
    /// use steadfast::testing::VirtualClock;
    ///
    /// let clock = VirtualClock::manual();
    /// let mut timer = pin!(clock.elapse(Duration::from_secs(10)));
    /// let mut context = Context::from_waker(Waker::noop());
    /// assert!(timer.as_mut().poll(&mut context).is_pending());
    /// clock.advance(Duration::from_secs(10));
    /// assert!(timer.as_mut().poll(&mut context).is_ready());
    /// ```
    #[must_use]
    pub fn manual() -> Self {
        let clock = Self::new();
        clock.state().is_manual = true;
        clock
    }

    /// Sets the next random numbers. All others are [`u64::MAX`]` / 2`, which is the middle of each
    /// jitter's range.
    #[must_use]
    pub fn with_draws(self, draws: impl IntoIterator<Item = u64>) -> Self {
        self.state().draws.extend(draws);
        self
    }

    /// The current time.
    #[must_use]
    pub fn now(&self) -> Moment {
        self.state().now
    }

    /// The time since the clock was made.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.now().since(Moment::ORIGIN)
    }

    /// Moves the clock at once.
    pub fn advance(&self, time: Duration) {
        let mut state = self.state();
        state.now = state.now + time;
        let due: Vec<Waker> = state.due_timers().map(|timer| timer.waker.clone()).collect();
        drop(state);
        due.iter().for_each(Waker::wake_by_ref);
    }

    /// A timer for operations that take time. It is not one of the [`waits`](Self::waits).
    pub fn elapse(&self, time: Duration) -> Elapse {
        self.timer(time, None)
    }

    /// The waits of sessions that have ended, in order: the delays between attempts, and the timeouts
    /// that expired. A delay of zero is no wait.
    #[must_use]
    pub fn waits(&self) -> Vec<Duration> {
        self.state().waits.clone()
    }

    /// The number of random numbers that were drawn.
    #[must_use]
    pub fn draw_count(&self) -> usize {
        self.state().draw_count
    }

    /// Runs a future that waits only for this clock.
    ///
    /// # Panics
    /// The future waits for something else; or the clock is [manual](Self::manual), and the time has
    /// not come.
    #[track_caller]
    pub fn block_on<F: IntoFuture>(&self, future: F) -> F::Output {
        let mut future = pin!(future.into_future());
        let woken = Arc::new(Woken::default());
        let waker = Waker::from(Arc::clone(&woken));
        loop {
            if let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
                return output;
            }
            // A timer that this clock will move to has woken the future by now.
            assert!(
                woken.0.swap(false, Ordering::Relaxed),
                "the future is pending, but this clock will not wake it: run it on its runtime, or \
                 advance the clock"
            );
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn next_draw(&self) -> u64 {
        let mut state = self.state();
        state.draw_count += 1;
        state.draws.pop_front().unwrap_or(u64::MAX / 2)
    }

    fn timer(&self, time: Duration, wait: Option<Duration>) -> Elapse {
        Elapse { clock: self.clone(), until: self.now() + time, wait, timer: None }
    }
}

impl State {
    fn due_timers(&self) -> impl Iterator<Item = &Timer> {
        self.timers.range(..=(self.now, u64::MAX)).map(|(_, timer)| timer)
    }

    /// Whether no other timer ends before this one. Timers that are never polled do not count: their
    /// futures are kept, but not awaited.
    fn is_next(&mut self, timer: (Moment, u64)) -> bool {
        let max_age = MAX_POLLS_PER_TIMER * self.timers.len() as u64;
        while let Some(first) = self.timers.first_entry() {
            if *first.key() >= timer {
                return true;
            }
            if self.poll_count - first.get().last_poll <= max_age {
                return false;
            }
            first.remove();
        }
        true
    }
}

/// Polls of other timers, for each timer there is, after which a timer is not awaited any more.
const MAX_POLLS_PER_TIMER: u64 = 1000;

#[derive(Default)]
struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// A timer of a [`VirtualClock`].
#[derive(Debug)]
#[must_use = "futures do nothing unless awaited"]
pub struct Elapse {
    clock: VirtualClock,
    until: Moment,
    /// The delay to record when it has ended.
    wait: Option<Duration>,
    /// Its number once it was polled.
    timer: Option<u64>,
}

impl Future for Elapse {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let this = &mut *self;
        let mut state = this.clock.state();
        // The first poll lets other futures start their timers.
        let is_first = this.timer.is_none();
        let number = *this.timer.get_or_insert_with(|| {
            state.timer_count += 1;
            state.timer_count
        });
        state.poll_count += 1;
        let key = (this.until, number);
        if state.now < this.until && !state.is_manual && !is_first && state.is_next(key) {
            state.now = this.until;
        }
        if state.now >= this.until {
            state.timers.remove(&key);
            state.waits.extend(this.wait.take());
            return Poll::Ready(());
        }
        let timer = Timer { waker: context.waker().clone(), last_poll: state.poll_count };
        state.timers.insert(key, timer);
        if !state.is_manual {
            context.waker().wake_by_ref();
        }
        Poll::Pending
    }
}

impl Drop for Elapse {
    fn drop(&mut self) {
        if let Some(number) = self.timer {
            self.clock.state().timers.remove(&(self.until, number));
        }
    }
}

impl Environment for VirtualClock {
    type Sleep = Elapse;

    fn now(&self) -> Moment {
        self.now()
    }

    fn draw(&mut self) -> u64 {
        self.next_draw()
    }
}

impl Sleeper for VirtualClock {
    fn sleep(&self, delay: Duration) -> Elapse {
        self.timer(delay, Some(delay))
    }
}

impl BlockingSleeper for VirtualClock {
    fn block(&self, delay: Duration) {
        self.advance(delay);
        self.state().waits.push(delay);
    }
}

impl Environment for &VirtualClock {
    type Sleep = Elapse;

    fn now(&self) -> Moment {
        VirtualClock::now(self)
    }

    fn draw(&mut self) -> u64 {
        self.next_draw()
    }
}

impl Sleeper for &VirtualClock {
    fn sleep(&self, delay: Duration) -> Elapse {
        self.timer(delay, Some(delay))
    }
}

impl BlockingSleeper for &VirtualClock {
    fn block(&self, delay: Duration) {
        VirtualClock::block(self, delay);
    }
}

/// For tests of the decision core.
impl DecisionEnv for VirtualClock {
    fn draw(&mut self) -> u64 {
        self.next_draw()
    }
}
