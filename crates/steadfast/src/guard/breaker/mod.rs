//! A circuit breaker: it keeps calls away from a service that is down.
//!
//! A caller that goes on calling a dead service waits for every timeout and
//! adds to the load that keeps the service from coming back. A breaker
//! remembers for all callers at once that the last calls failed, answers in
//! their place, and lets a probe through from time to time to see whether the
//! service is back.
//!
//! ```text
//!            failures in a row reach `threshold`,
//!            or a rate is reached in the window
//!   ┌────────┐ ───────────────────────────────▶ ┌────────┐ ◀── open() by hand
//!   │ closed │                                  │  open  │
//!   └────────┘                                  └────────┘
//!       ▲                        a probe failed  ▲      │ `timeout` has passed:
//!       │                        or was slow     │      ▼ the next call is a probe
//!       │      `success_threshold`              ┌───────────┐
//!       └────────────────────────────────────── │ half open │
//!              probes succeeded                 └───────────┘
//!
//!   isolate() by hand: rejects everything until close() by hand.
//! ```
//!
//! Three ways in which a breaker goes wrong decided its shape:
//!
//! - *Results that arrive late.* A call that started before the breaker opened
//!   may fail after it has closed again. Every [`Permit`] knows the generation
//!   it was given in, and the result of another generation changes nothing.
//! - *Probes that never come back.* A cancelled call gives its permit back by
//!   [`ignore`](Breaker::ignore). One that is lost altogether is given up for
//!   lost when `timeout` has passed, and another probe is sent; should it come
//!   back after all, its result is still heard.
//! - *Deciding and doing in two steps.* State, generation and counts are one
//!   word, and every change is one compare-and-swap of it, so two threads can
//!   never both be the last failure or the only probe. There is no lock.
//!
//! On the good path the simple form costs one load and one comparison to let a
//! call through, and the same again for its success.
//!
//! A plain success never opens a breaker, though it may be the call that
//! brings the window to its minimum volume: the next failure will.

mod control;
mod packed_state;
mod report;
mod results;
mod rules;
mod settings;
mod transition_time;
mod window;

use std::time::Duration;

pub use report::{BreakerSnapshot, BreakerState, Permit, Rejection, Transition};
pub use settings::BreakerSettings;

use self::packed_state::Word;
use self::transition_time::Stamp;
use self::window::Window;
use crate::Moment;
use crate::guard::sync::{AtomicU64, Ordering};
use crate::policy::OutOfRange;

/// A circuit breaker, to be shared by all who call the same service.
///
/// ```
/// use std::time::Duration;
/// use steadfast::Moment;
/// use steadfast::guard::breaker::{Breaker, BreakerSettings, BreakerState};
///
/// let timeout = Duration::from_secs(60);
/// let breaker = Breaker::new(BreakerSettings::consecutive(2, timeout))?;
/// let now = Moment::ORIGIN;
///
/// for _ in 0..2 {
///     let permit = breaker.acquire(now)?;
///     breaker.failure(permit, now, None);
/// }
/// let rejection = breaker.acquire(now).unwrap_err();
/// assert_eq!(rejection.retry_after, Some(timeout));
///
/// let later = now + timeout;
/// let probe = breaker.acquire(later)?;
/// let change = breaker.success(probe, later, None);
/// assert_eq!(change.map(|change| change.to), Some(BreakerState::Closed));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Moments must come from one clock that does not go back; if it does, the
/// breaker waits until the clock has caught up.
#[derive(Debug)]
pub struct Breaker {
    word: AtomicU64,
    /// Words below this are of a closed breaker that need not know when a call begins.
    quick: u64,
    care: Care,
    settings: BreakerSettings,
    window: Option<Window>,
    changed: Stamp,
    /// When a probe was last sent.
    probed: AtomicU64,
    /// When a failure last counted, plus one; 0 if none ever did. For display.
    failed: AtomicU64,
    /// The failures that opened it and those of its probes. For display.
    failures: AtomicU64,
}

/// What a success means to a closed breaker, from nothing to everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Care {
    /// It ends a run of failures, if there is one.
    Runs,
    /// It counts in a window of calls.
    Counts,
    /// When it came matters, too.
    Clock,
    /// How long it took matters, too.
    Duration,
}

impl Care {
    fn of(settings: &BreakerSettings, window: Option<&Window>) -> Self {
        if settings.slow_call_threshold.is_some() {
            return Self::Duration;
        }
        match window {
            None => Self::Runs,
            Some(window) if window.needs_clock() => Self::Clock,
            Some(_) => Self::Counts,
        }
    }
}

impl Breaker {
    /// A closed breaker.
    ///
    /// # Errors
    /// The first of the settings' [`problems`](BreakerSettings::problems).
    pub fn new(settings: BreakerSettings) -> Result<Self, OutOfRange> {
        if let Some(problem) = settings.checks().into_iter().flatten().next() {
            return Err(problem);
        }
        let window = match (settings.calls_in_window(), settings.window) {
            (Some(calls), _) => Some(Window::of_calls(calls)),
            (None, Some(window)) => Some(Window::of_time(window)),
            (None, None) => None,
        };
        Ok(Self {
            word: AtomicU64::new(Word::NEW.0),
            quick: if settings.slow_call_threshold.is_some() { 0 } else { Word::FIRST_NOT_CLOSED },
            care: Care::of(&settings, window.as_ref()),
            settings,
            window,
            changed: Stamp::unpublished(),
            probed: AtomicU64::new(0),
            failed: AtomicU64::new(0),
            failures: AtomicU64::new(0),
        })
    }

    /// What it was made with.
    #[must_use]
    pub const fn settings(&self) -> &BreakerSettings {
        &self.settings
    }

    /// Must a success of a closed breaker come with the time? If not, and the
    /// permit is no [probe](Permit::is_probe), any moment will do.
    #[inline]
    #[must_use]
    pub fn needs_clock_on_success(&self) -> bool {
        self.care >= Care::Clock
    }

    /// Must a call come with how long it took?
    #[inline]
    pub(crate) fn times_calls(&self) -> bool {
        self.care == Care::Duration
    }

    /// Would the success of this call change nothing?
    #[inline]
    pub(crate) fn is_unmoved_by_success(&self, permit: Permit) -> bool {
        self.care == Care::Runs && self.peek() == permit.word()
    }

    /// Whether calls are let through, as far as is known without the time.
    pub(crate) fn is_closed(&self) -> bool {
        self.peek().is_closed()
    }

    /// Whether a person keeps all calls away.
    pub(crate) fn is_isolated(&self) -> bool {
        self.peek().state() == BreakerState::Isolated
    }

    /// Whether a new one would do what this one does, as far as is known without the time.
    pub(crate) fn is_as_new(&self) -> bool {
        let counts_in_window = self.window.is_some() && self.failed.load(Ordering::Relaxed) > 0;
        self.is_closed() && self.peek().failures() == 0 && !counts_in_window
    }

    /// The word, for decisions that rest on nothing but the word.
    #[inline]
    fn peek(&self) -> Word {
        Word(self.word.load(Ordering::Relaxed))
    }

    /// AttemptPermit to make a call, without asking the time: all that it takes while
    /// the breaker is closed, unless it cares how long calls take. Otherwise ask
    /// [`acquire`](Self::acquire).
    #[inline]
    pub fn pass(&self) -> Option<Permit> {
        let word = self.peek();
        (word.0 < self.quick).then_some(Permit::of_closed(word))
    }

    /// AttemptPermit to make a call.
    ///
    /// # Errors
    /// The breaker is open or isolated, or as many probes as it allows are
    /// already on their way.
    #[inline]
    pub fn acquire(&self, now: Moment) -> Result<Permit, Rejection> {
        match self.pass() {
            Some(permit) => Ok(permit),
            None => self.acquire_probe(now),
        }
    }

    #[cold]
    fn acquire_probe(&self, now: Moment) -> Result<Permit, Rejection> {
        let mut word = self.load();
        loop {
            if word.is_closed() {
                return Ok(Permit::of_closed(word));
            }
            if let Some(rejection) = self.rejection(word, now) {
                return Err(rejection);
            }
            let next = match word.state() {
                BreakerState::HalfOpen if self.has_room(word) => word.probe_out(),
                BreakerState::HalfOpen => word.next_batch(),
                _ => word.half_opened(),
            };
            // Before the swap: who sees this probe must not take it for lost.
            self.probed.fetch_max(now.as_nanos(), Ordering::AcqRel);
            match self.swap(word, next) {
                Ok(()) => {
                    let first = !next.is_same_period(word);
                    if first {
                        self.changed.publish(next.generation(), now);
                    }
                    return Ok(Permit::of_probe(next, first));
                }
                Err(current) => word = current,
            }
        }
    }

    /// Why no call is let through now, if none is.
    fn rejection(&self, word: Word, now: Moment) -> Option<Rejection> {
        let state = word.state();
        let retry_after = match state {
            BreakerState::Closed => return None,
            BreakerState::Isolated => None,
            BreakerState::Open => Some(self.left_of_open(word, now)),
            BreakerState::HalfOpen if self.has_room(word) => return None,
            BreakerState::HalfOpen => Some(self.left_of_probes(now)),
        };
        (retry_after != Some(Duration::ZERO)).then_some(Rejection { state, retry_after })
    }

    fn left_of_open(&self, word: Word, now: Moment) -> Duration {
        let open_time = self.settings.open_time(word.openings());
        match self.changed.read(word.generation()) {
            Some(opened) => open_time.saturating_sub(now.since(opened)),
            None => open_time,
        }
    }

    /// How long until all probes that are out count as lost.
    fn left_of_probes(&self, now: Moment) -> Duration {
        let probed = Moment::from_nanos(self.probed.load(Ordering::Acquire));
        self.settings.timeout.saturating_sub(now.since(probed))
    }

    fn has_room(&self, word: Word) -> bool {
        word.probes_out() < self.settings.probes
    }

    #[inline]
    fn load(&self) -> Word {
        Word(self.word.load(Ordering::Acquire))
    }

    fn swap(&self, from: Word, to: Word) -> Result<(), Word> {
        self.word
            .compare_exchange(from.0, to.0, Ordering::AcqRel, Ordering::Acquire)
            .map(drop)
            .map_err(Word)
    }
}
