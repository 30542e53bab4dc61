//! The settings of a breaker.

use std::time::Duration;

use super::cause::Trigger;
use super::window::Tally;
#[cfg(feature = "serde")]
use crate::duration::serde_seconds;
use crate::time::saturating_nanos;

const DEFAULT_THRESHOLD: u32 = 5;
const DEFAULT_WINDOW_CALLS: u32 = 100;
const DEFAULT_MINIMUM_VOLUME: u32 = 10;
const DEFAULT_MAX_TIMEOUT: Duration = Duration::from_secs(3600);

/// The state in which a breaker starts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub enum InitialState {
    /// Calls are permitted.
    #[default]
    Closed,
    /// Calls are rejected until `timeout` has passed since the first one.
    Open,
    /// Calls are permitted and not counted until the breaker is closed or opened manually.
    Disabled,
}

#[cfg(feature = "serde")]
impl InitialState {
    pub(crate) const NAMES: [&'static str; 3] = ["closed", "open", "disabled"];

    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// When a breaker opens, how long it stays open, and what closes it.
///
/// ```
/// use std::time::Duration;
/// use steadfast::guard::BreakerSettings;
///
/// // Five failures in a row open it; a minute later one probe decides.
/// const SIMPLE: BreakerSettings = BreakerSettings::consecutive(5, Duration::from_secs(60));
///
/// // Half of the calls of the last ten seconds failed, of at least twenty; or
/// // most of them took longer than two seconds. Three good probes close it.
/// const RICH: BreakerSettings =
///     BreakerSettings::rate_over_time(0.5, Duration::from_secs(10), Duration::from_secs(30))
///         .minimum_volume(20)
///         .slow_calls(Duration::from_secs(2), 0.8)
///         .probes(3)
///         .success_threshold(3);
///
/// assert!(SIMPLE.problems().is_empty() && RICH.problems().is_empty());
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
#[non_exhaustive]
#[must_use]
pub struct BreakerSettings {
    /// The number of consecutive failures that open the breaker. Defaults to 5 without a rate; with
    /// a rate, only the rate opens the breaker.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub threshold: Option<u32>,
    /// How long the breaker stays open before it permits a probe, and how long a probe may take
    /// before it counts as lost. Defaults to 60 s.
    #[cfg_attr(feature = "serde", serde(with = "serde_seconds"))]
    pub timeout: Duration,
    /// The share of failed calls in the window that opens the breaker.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub failure_rate: Option<f64>,
    /// The window is this many of the last calls. Defaults to 100 if a rate is set and `window` is
    /// not.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub window_calls: Option<u32>,
    /// The window is the calls of this last period.
    #[cfg_attr(
        feature = "serde",
        serde(skip_serializing_if = "Option::is_none", with = "serde_seconds::option")
    )]
    pub window: Option<Duration>,
    /// The number of calls in the window below which rates are ignored. Defaults to 10, or the size
    /// of the window if that is smaller.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub minimum_volume: Option<u32>,
    /// A call that takes longer is slow, whatever its result.
    #[cfg_attr(
        feature = "serde",
        serde(skip_serializing_if = "Option::is_none", with = "serde_seconds::option")
    )]
    pub slow_call_threshold: Option<Duration>,
    /// The share of slow calls in the window that opens the breaker.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub slow_call_rate: Option<f64>,
    /// How many probes may be in flight at once while half open. Defaults to 1.
    pub probes: u32,
    /// How many probes must succeed to close the breaker. Defaults to 1.
    pub success_threshold: u32,
    /// The number of probes of which `success_threshold` must succeed: more failures than the rest
    /// open the breaker again, and no more probes are sent. Without it, one failed probe opens the
    /// breaker again.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub half_open_calls: Option<u32>,
    /// The factor by which the open time grows after each failed probe. Defaults to 1.
    pub timeout_multiplier: f64,
    /// The limit of that growth. Defaults to one hour, or `timeout` if that is longer.
    #[cfg_attr(
        feature = "serde",
        serde(skip_serializing_if = "Option::is_none", with = "serde_seconds::option")
    )]
    pub max_timeout: Option<Duration>,
    /// Whether final errors count as failures. The breaker does not know the class of an error: the
    /// caller that reports results checks this setting.
    pub count_final: bool,
    /// The state in which the breaker starts. Defaults to closed.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "InitialState::is_default"))]
    pub initial_state: InitialState,
}

impl BreakerSettings {
    const DEFAULT: Self = Self {
        threshold: None,
        timeout: Duration::from_secs(60),
        failure_rate: None,
        window_calls: None,
        window: None,
        minimum_volume: None,
        slow_call_threshold: None,
        slow_call_rate: None,
        probes: 1,
        success_threshold: 1,
        half_open_calls: None,
        timeout_multiplier: 1.0,
        max_timeout: None,
        count_final: false,
        initial_state: InitialState::Closed,
    };

    /// Opens after `threshold` failures in a row, for `timeout`.
    pub const fn consecutive(threshold: u32, timeout: Duration) -> Self {
        Self { threshold: Some(threshold), timeout, ..Self::DEFAULT }
    }

    /// Opens when this share of the last `calls` failed, for `timeout`.
    pub const fn rate_over_calls(failure_rate: f64, calls: u32, timeout: Duration) -> Self {
        Self {
            failure_rate: Some(failure_rate),
            window_calls: Some(calls),
            timeout,
            ..Self::DEFAULT
        }
    }

    /// Opens when this share of the calls of the last `window` failed, for
    /// `timeout`.
    pub const fn rate_over_time(failure_rate: f64, window: Duration, timeout: Duration) -> Self {
        Self { failure_rate: Some(failure_rate), window: Some(window), timeout, ..Self::DEFAULT }
    }

    /// Sets the number of calls below which rates are ignored.
    pub const fn minimum_volume(mut self, calls: u32) -> Self {
        self.minimum_volume = Some(calls);
        self
    }

    /// Opens as well when this share of the calls takes longer than `threshold`.
    pub const fn slow_calls(mut self, threshold: Duration, rate: f64) -> Self {
        self.slow_call_threshold = Some(threshold);
        self.slow_call_rate = Some(rate);
        self
    }

    /// Sets how many probes may be in flight at once.
    pub const fn probes(mut self, probes: u32) -> Self {
        self.probes = probes;
        self
    }

    /// Sets how many probes must succeed.
    pub const fn success_threshold(mut self, successes: u32) -> Self {
        self.success_threshold = successes;
        self
    }

    /// Closes the breaker when `successes` of `calls` probes succeed, and opens it again when that has
    /// become impossible.
    pub const fn successes_of(mut self, successes: u32, calls: u32) -> Self {
        self.success_threshold = successes;
        self.half_open_calls = Some(calls);
        self
    }

    /// Lets the open time grow with every failed probe, up to `max_timeout`.
    pub const fn growing(mut self, timeout_multiplier: f64, max_timeout: Duration) -> Self {
        self.timeout_multiplier = timeout_multiplier;
        self.max_timeout = Some(max_timeout);
        self
    }

    /// Sets whether final errors count as failures.
    pub const fn count_final(mut self, count: bool) -> Self {
        self.count_final = count;
        self
    }

    /// Sets the state in which the breaker starts.
    pub const fn initial_state(mut self, state: InitialState) -> Self {
        self.initial_state = state;
        self
    }

    /// How many probes may fail before the breaker opens again.
    pub(super) fn tolerated_probe_failures(&self) -> u32 {
        self.half_open_calls.map_or(0, |calls| calls.saturating_sub(self.success_threshold))
    }

    pub(super) const fn has_rate(&self) -> bool {
        self.failure_rate.is_some() || self.slow_call_rate.is_some()
    }

    /// The number of consecutive failures that open the breaker, if any number does.
    pub(super) const fn consecutive_threshold(&self) -> Option<u32> {
        match self.threshold {
            None if !self.has_rate() => Some(DEFAULT_THRESHOLD),
            threshold => threshold,
        }
    }

    /// The number of calls in the window, if there is a window of calls.
    pub(super) fn calls_in_window(&self) -> Option<u32> {
        (self.has_rate() && self.window.is_none())
            .then_some(self.window_calls.unwrap_or(DEFAULT_WINDOW_CALLS))
    }

    pub(super) fn is_slow(&self, took: Option<Duration>) -> bool {
        matches!((took, self.slow_call_threshold), (Some(took), Some(threshold)) if took > threshold)
    }

    /// The number of calls in the window below which rates are ignored.
    pub(super) fn volume(&self) -> u32 {
        let within = self.calls_in_window().unwrap_or(u32::MAX);
        self.minimum_volume.unwrap_or(DEFAULT_MINIMUM_VOLUME.min(within)).max(1)
    }

    /// The rate by which the calls in the window open the breaker, if they do.
    pub(super) fn reached_rate(&self, tally: Tally) -> Option<Trigger> {
        if tally.calls < u64::from(self.volume()) {
            return None;
        }
        // A quotient of counts is the same number that `0.55` is read as;
        // `0.55 * 100.0` is not 55.
        let reaches = |part: u64, rate: Option<f64>| {
            rate.is_some_and(|rate| part as f64 / tally.calls as f64 >= rate)
        };
        if reaches(tally.failed, self.failure_rate) {
            return Some(Trigger::FailureRate);
        }
        reaches(tally.slow, self.slow_call_rate).then_some(Trigger::SlowCallRate)
    }

    /// How long the breaker stays open at its nth opening without a close.
    pub(super) fn open_time(&self, openings: u64) -> Duration {
        if openings <= 1 || self.timeout_multiplier == 1.0 {
            return self.timeout;
        }
        let max_timeout = self.max_timeout.unwrap_or(DEFAULT_MAX_TIMEOUT.max(self.timeout));
        let exponent = i32::try_from(openings - 1).unwrap_or(i32::MAX);
        let growth = self.timeout_multiplier.powi(exponent);
        let grown = saturating_nanos(self.timeout) as f64 * growth;
        Duration::from_nanos(grown as u64).min(max_timeout)
    }
}

impl Default for BreakerSettings {
    /// Opens after 5 failures in a row, for 60 seconds.
    fn default() -> Self {
        Self::DEFAULT
    }
}
