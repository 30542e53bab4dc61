//! A lock-free circuit breaker.
//!
//! A caller that keeps calling a service that is down waits for every timeout and adds to the load
//! that keeps the service from recovering. A breaker shares the recent failures among all callers,
//! rejects calls while it is open, and lets a probe through from time to time to find out whether
//! the service has recovered.
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
//!   isolate() by hand: rejects all calls until close() by hand.
//!   disable() by hand: permits all calls and counts none until close() by hand.
//! ```
//!
//! The design prevents three kinds of error:
//!
//! - *Late results.* A call that started before the breaker opened may fail after it has closed
//!   again. Every [`Permit`] carries its generation, and a result of another generation changes
//!   nothing.
//! - *Lost probes.* A cancelled call releases its permit through [`ignore`](Breaker::ignore). A
//!   probe without a result counts as lost after `timeout`, and another probe is sent; if its result
//!   arrives later, it still counts.
//! - *Races between check and update.* State, generation and counters share one 64-bit word, and
//!   every change is one compare-and-swap of it, so two threads can never both be the last failure
//!   or the only probe. There is no lock.
//!
//! While closed, the simple form costs one load and one comparison to permit a call, and the same
//! for its success.
//!
//! A success opens a breaker if it brings the window to its minimum volume and the rate is reached.

mod cause;
mod control;
mod packed_state;
mod report;
mod results;
mod rules;
mod settings;
mod tagged_time;
mod window;

use std::time::Duration;

pub use cause::{Cause, FaultCode, Trigger};
pub use report::{BreakerSnapshot, BreakerState, Permit, Rejection, Transition};
pub use settings::{BreakerSettings, InitialState};

use self::cause::CauseCell;
use self::packed_state::PackedState;
use self::tagged_time::TaggedTime;
use self::window::Window;
use crate::Moment;
use crate::guard::sync::{AtomicU64, Ordering};
use crate::policy::RangeError;

/// A circuit breaker, shared by all callers of a service.
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
/// Moments must come from one monotonic clock; if it goes back, the breaker waits until the clock
/// has caught up.
#[derive(Debug)]
pub struct Breaker {
    packed: AtomicU64,
    /// Packed states below this are closed, and their calls need no start time.
    closed_below: u64,
    tracking: SuccessTracking,
    settings: BreakerSettings,
    window: Option<Window>,
    changed_at: TaggedTime,
    /// The end of an open time that was set by hand.
    open_until: TaggedTime,
    cause: CauseCell,
    /// When the first call was rejected by a breaker that started open, plus one; 0 before.
    first_call: AtomicU64,
    last_probe: AtomicU64,
    /// When the last failure was counted, plus one; 0 without a failure. For display.
    last_failure: AtomicU64,
    /// The failures that opened the breaker and those of its probes. For display.
    failures: AtomicU64,
}

/// What a closed breaker records of a success, from least to most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum SuccessTracking {
    /// It resets the count of consecutive failures.
    Reset,
    /// It counts in a window of calls.
    Count,
    /// It counts in a window of time.
    Time,
    /// Its duration counts as well.
    Duration,
}

impl SuccessTracking {
    fn of(settings: &BreakerSettings, window: Option<&Window>) -> Self {
        if settings.slow_call_threshold.is_some() {
            return Self::Duration;
        }
        match window {
            None => Self::Reset,
            Some(window) if window.needs_clock() => Self::Time,
            Some(_) => Self::Count,
        }
    }
}

impl Breaker {
    /// A breaker in its initial state: closed, unless the settings have another one.
    ///
    /// # Errors
    /// The first of the settings' [`problems`](BreakerSettings::problems).
    pub fn new(settings: BreakerSettings) -> Result<Self, RangeError> {
        if let Some(problem) = settings.checks().into_iter().flatten().next() {
            return Err(problem);
        }
        let window = match (settings.calls_in_window(), settings.window) {
            (Some(calls), _) => Some(Window::of_calls(calls)),
            (None, Some(window)) => Some(Window::of_time(window)),
            (None, None) => None,
        };
        let initial = match settings.initial_state {
            InitialState::Closed => PackedState::NEW,
            InitialState::Open => PackedState::NEW_OPEN,
            InitialState::Disabled => PackedState::NEW_DISABLED,
        };
        Ok(Self {
            packed: AtomicU64::new(initial.0),
            closed_below: if settings.slow_call_threshold.is_some() {
                0
            } else {
                PackedState::FIRST_NOT_CLOSED
            },
            tracking: SuccessTracking::of(&settings, window.as_ref()),
            settings,
            window,
            changed_at: TaggedTime::unpublished(),
            open_until: TaggedTime::unpublished(),
            cause: CauseCell::unpublished(),
            first_call: AtomicU64::new(0),
            last_probe: AtomicU64::new(0),
            last_failure: AtomicU64::new(0),
            failures: AtomicU64::new(0),
        })
    }

    /// The breaker's settings.
    pub const fn settings(&self) -> &BreakerSettings {
        &self.settings
    }

    /// Whether a success of a closed breaker needs the time. If not, and the permit is not for a
    /// [probe](Permit::is_probe), any moment can be passed.
    #[inline]
    #[must_use]
    pub fn needs_clock_on_success(&self) -> bool {
        self.tracking >= SuccessTracking::Time
    }

    #[inline]
    pub(crate) fn measures_duration(&self) -> bool {
        self.tracking == SuccessTracking::Duration
    }

    /// Whether the success of this call changes nothing.
    #[inline]
    pub(crate) fn ignores_success(&self, permit: Permit) -> bool {
        self.tracking == SuccessTracking::Reset && self.peek() == permit.packed()
    }

    /// Whether the breaker is closed, as far as is known without the time.
    pub(crate) fn is_closed(&self) -> bool {
        self.peek().is_closed()
    }

    pub(crate) fn is_isolated(&self) -> bool {
        self.peek().state() == BreakerState::Isolated
    }

    /// Whether it behaves like a new breaker, as far as is known without the time.
    pub(crate) fn is_pristine(&self) -> bool {
        let counts_in_window =
            self.window.is_some() && self.last_failure.load(Ordering::Relaxed) > 0;
        self.is_closed() && self.peek().failures() == 0 && !counts_in_window
    }

    /// The packed state, for decisions that depend on nothing else.
    #[inline]
    fn peek(&self) -> PackedState {
        PackedState(self.packed.load(Ordering::Relaxed))
    }

    /// Acquires a permit without the time: succeeds while the breaker is closed and does not measure
    /// durations. Otherwise call [`acquire`](Self::acquire).
    #[inline]
    pub fn try_acquire(&self) -> Option<Permit> {
        let packed = self.peek();
        (packed.0 < self.closed_below).then_some(Permit::of_closed(packed))
    }

    /// Acquires a permit to make a call.
    ///
    /// # Errors
    /// The breaker is open or isolated, or as many probes as it allows are already in flight.
    #[inline]
    pub fn acquire(&self, now: Moment) -> Result<Permit, Rejection> {
        match self.try_acquire() {
            Some(permit) => Ok(permit),
            None => self.acquire_probe(now),
        }
    }

    #[cold]
    fn acquire_probe(&self, now: Moment) -> Result<Permit, Rejection> {
        let mut packed = self.load();
        loop {
            match packed.state() {
                BreakerState::Closed => return Ok(Permit::of_closed(packed)),
                BreakerState::Disabled => return Ok(Permit::NONE),
                BreakerState::Open if packed.is_new() => self.set_first_call(now),
                _ => {}
            }
            if let Some(rejection) = self.rejection(packed, now) {
                return Err(rejection);
            }
            let next = match packed.state() {
                BreakerState::HalfOpen if self.can_probe(packed) => packed.with_probe(),
                BreakerState::HalfOpen => packed.next_batch(),
                _ => packed.half_opened(),
            };
            // Before the swap, so that a thread that sees this probe does not count it as lost.
            self.last_probe.fetch_max(now.as_nanos(), Ordering::AcqRel);
            match self.swap(packed, next) {
                Ok(()) => {
                    let first = !next.is_same_period(packed);
                    if first {
                        self.carry_cause(packed, next);
                        self.changed_at.publish(next.generation(), now);
                    }
                    return Ok(Permit::of_probe(next, first));
                }
                Err(current) => packed = current,
            }
        }
    }

    /// A breaker that starts open does so with its first call: it has no clock before that.
    fn set_first_call(&self, now: Moment) {
        let stamp = now.as_nanos().saturating_add(1);
        let _ = self.first_call.compare_exchange(0, stamp, Ordering::AcqRel, Ordering::Acquire);
    }

    /// A half-open breaker rejects calls for the same cause as before.
    fn carry_cause(&self, from: PackedState, to: PackedState) {
        if let Some(cause) = self.cause_of(from) {
            self.cause.publish(to.generation(), cause);
        }
    }

    fn cause_of(&self, packed: PackedState) -> Option<Cause> {
        let initial = Cause { trigger: Trigger::InitialState, code: None };
        let published = self.cause.read(packed.generation());
        published.or(packed.is_new().then_some(initial))
    }

    /// The rejection of a call at `now`, unless calls are permitted.
    fn rejection(&self, packed: PackedState, now: Moment) -> Option<Rejection> {
        let state = packed.state();
        let retry_after = match state {
            BreakerState::Closed | BreakerState::Disabled => return None,
            BreakerState::Isolated => None,
            BreakerState::Open => Some(self.remaining_open_time(packed, now)),
            BreakerState::HalfOpen if self.can_probe(packed) => return None,
            BreakerState::HalfOpen => Some(self.remaining_probe_time(now)),
        };
        let cause = self.cause_of(packed);
        (retry_after != Some(Duration::ZERO)).then_some(Rejection { state, retry_after, cause })
    }

    fn remaining_open_time(&self, packed: PackedState, now: Moment) -> Duration {
        if let Some(until) = self.open_until.read(packed.generation()) {
            return until.since(now);
        }
        let open_time = self.settings.open_time(packed.openings());
        match self.opened_at(packed) {
            Some(opened) => open_time.saturating_sub(now.since(opened)),
            None => open_time,
        }
    }

    fn opened_at(&self, packed: PackedState) -> Option<Moment> {
        let first_call = || self.first_call.load(Ordering::Acquire).checked_sub(1);
        let changed = self.changed_at.read(packed.generation());
        changed.or_else(|| packed.is_new().then(first_call).flatten().map(Moment::from_nanos))
    }

    /// How long until all probes in flight count as lost.
    fn remaining_probe_time(&self, now: Moment) -> Duration {
        let probed = Moment::from_nanos(self.last_probe.load(Ordering::Acquire));
        self.settings.timeout.saturating_sub(now.since(probed))
    }

    fn can_probe(&self, packed: PackedState) -> bool {
        packed.probes_in_flight() < self.settings.probes
            && self.settings.half_open_calls.is_none_or(|calls| packed.probes_sent() < calls)
    }

    #[inline]
    fn load(&self) -> PackedState {
        PackedState(self.packed.load(Ordering::Acquire))
    }

    fn swap(&self, from: PackedState, to: PackedState) -> Result<(), PackedState> {
        self.packed
            .compare_exchange(from.0, to.0, Ordering::AcqRel, Ordering::Acquire)
            .map(drop)
            .map_err(PackedState)
    }
}
