//! Reading of the [retry signals](super::signals) in the headers of an HTTP response.
//!
//! One reader for any source of headers, so that every client gives the same facts.

use std::time::{Duration, SystemTime};

use super::{Fault, Hint, RetrySignal, RetrySignals};

impl RetrySignals {
    /// The facts of an HTTP response with this status, by a lookup of its headers. The lookup gets
    /// names in lower case.
    ///
    /// ```
    /// use std::time::{Duration, SystemTime};
    /// use steadfast::Hint;
    /// use steadfast::fault::{RetrySignal, RetrySignals};
    ///
    /// let header = |name: &str| match name {
    ///     "retry-after" => Some("1"),
    ///     "retry-after-ms" => Some("250"),
    ///     _ => None,
    /// };
    /// let fault = RetrySignals::ALL.http_fault(429, header, SystemTime::now());
    /// assert_eq!(fault.hint, Some(Hint::After(Duration::from_millis(250))));
    /// assert_eq!(fault.hint_source, Some(RetrySignal::RetryAfterMs));
    ///
    /// let standard = RetrySignals::ALL.without(RetrySignal::RetryAfterMs);
    /// let fault = standard.http_fault(429, header, SystemTime::now());
    /// assert_eq!(fault.hint_source, Some(RetrySignal::RetryAfter));
    /// ```
    pub fn http_fault<'h>(
        self,
        status: u16,
        header: impl Fn(&str) -> Option<&'h str>,
        now: SystemTime,
    ) -> Fault {
        let headers = Headers { header: &header, signals: self, now };
        let mut fault = Fault::http(status);
        fault.should_retry = headers.should_retry();
        match headers.wait(status) {
            Some((wait, source)) => fault.with_hint_from(Hint::After(wait), source),
            None => fault,
        }
    }
}

/// The headers of one response, and the signals that count.
struct Headers<'l, 'h> {
    header: &'l dyn Fn(&str) -> Option<&'h str>,
    signals: RetrySignals,
    now: SystemTime,
}

impl<'h> Headers<'_, 'h> {
    fn signal(&self, signal: RetrySignal) -> Option<&'h str> {
        if !self.signals.contains(signal) {
            return None;
        }
        (self.header)(signal.name()).map(str::trim)
    }

    fn should_retry(&self) -> Option<bool> {
        let value = self.signal(RetrySignal::XShouldRetry)?;
        if value.eq_ignore_ascii_case("true") {
            return Some(true);
        }
        value.eq_ignore_ascii_case("false").then_some(false)
    }

    /// The wait, by the most precise signal.
    fn wait(&self, status: u16) -> Option<(Duration, RetrySignal)> {
        const PRECISE: [RetrySignal; 3] =
            [RetrySignal::RetryAfterMs, RetrySignal::XMsRetryAfterMs, RetrySignal::XAmzRetryAfter];
        PRECISE
            .into_iter()
            .find_map(|signal| Some((millis(self.signal(signal)?)?, signal)))
            .or_else(|| self.retry_after())
            .or_else(|| matches!(status, 429 | 503).then(|| self.rate_limit()).flatten())
    }

    fn retry_after(&self) -> Option<(Duration, RetrySignal)> {
        match Hint::retry_after(self.signal(RetrySignal::RetryAfter)?, self.now)? {
            Hint::After(wait) => Some((wait, RetrySignal::RetryAfter)),
            Hint::Stop => None,
        }
    }

    /// The wait until a quota resets. Other responses than 429 and 503 report quotas, too.
    fn rate_limit(&self) -> Option<(Duration, RetrySignal)> {
        let quotas = || {
            let policy = (self.header)("ratelimit-policy").unwrap_or_default();
            quota_reset(self.signal(RetrySignal::RateLimit)?, policy)
        };
        let draft = || {
            let reset = self.signal(RetrySignal::RateLimitReset)?;
            self.exhausted("ratelimit-remaining").then(|| seconds(reset))?
        };
        let custom = || {
            let reset = self.signal(RetrySignal::XRateLimitReset)?;
            self.exhausted("x-ratelimit-remaining").then(|| until(reset, self.now))?
        };
        let found = |wait: Option<Duration>, signal| wait.map(|wait| (wait, signal));
        found(quotas(), RetrySignal::RateLimit)
            .or_else(|| found(draft(), RetrySignal::RateLimitReset))
            .or_else(|| found(custom(), RetrySignal::XRateLimitReset))
    }

    /// Whether nothing remains, or the header does not say.
    fn exhausted(&self, remaining: &str) -> bool {
        let remaining = (self.header)(remaining).and_then(|value| number(value.trim()));
        remaining.is_none_or(|remaining| remaining < 1.0)
    }
}

/// A number of at least 0, with or without decimals.
fn number(text: &str) -> Option<f64> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    if is_plain { text.parse().ok() } else { None }
}

/// A wait of this many seconds; the longest one if there are too many.
fn wait_of(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)
}

fn seconds(text: &str) -> Option<Duration> {
    number(text).map(wait_of)
}

fn millis(text: &str) -> Option<Duration> {
    number(text).map(|millis| wait_of(millis / 1000.0))
}

/// The wait until a time: seconds from now, a Unix time, or a Unix time in milliseconds. They differ
/// by their size: as seconds from now, any Unix time since 2001 is more than thirty years.
fn until(text: &str, now: SystemTime) -> Option<Duration> {
    const FIRST_UNIX_SECONDS: f64 = 1e9;
    const FIRST_UNIX_MILLIS: f64 = 1e12;
    let number = number(text)?;
    if number < FIRST_UNIX_SECONDS {
        return Some(wait_of(number));
    }
    let seconds = if number < FIRST_UNIX_MILLIS { number } else { number / 1000.0 };
    let now = now.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    Some(wait_of(seconds).saturating_sub(now))
}

/// The wait of a `RateLimit` header: the longest of the exhausted quotas. A quota without a time takes
/// the window of its policy.
///
/// The header is a list of quotas (`"burst";r=0;t=5, "daily";r=70;t=3600`) or, in an earlier version
/// of the draft, one quota (`limit=100, remaining=0, reset=5`).
fn quota_reset(header: &str, policies: &str) -> Option<Duration> {
    let members = || split(header, ',');
    if let Some(reset) = parameter(members(), "reset") {
        let remaining = parameter(members(), "remaining").and_then(number);
        return if remaining.is_none_or(|left| left < 1.0) { seconds(reset) } else { None };
    }
    let reset = |quota| {
        let remaining = parameter(split(quota, ';'), "r").and_then(number)?;
        if remaining >= 1.0 {
            return None;
        }
        parameter(split(quota, ';'), "t").or_else(|| window(policies, quota)).and_then(seconds)
    };
    members().filter_map(reset).max()
}

/// The window of the policy with this quota's name.
fn window<'h>(policies: &'h str, quota: &str) -> Option<&'h str> {
    let name = split(quota, ';').next();
    let policy = split(policies, ',').find(|policy| split(policy, ';').next() == name)?;
    parameter(split(policy, ';'), "w")
}

/// The value of the part `key=value`.
fn parameter<'h>(mut parts: impl Iterator<Item = &'h str>, key: &str) -> Option<&'h str> {
    parts.find_map(|part| {
        let (found, value) = part.split_once('=')?;
        (found.trim() == key).then(|| value.trim())
    })
}

/// The parts of a structured field, which a separator inside a quoted string does not divide.
fn split(text: &str, separator: char) -> impl Iterator<Item = &str> {
    let (mut quoted, mut escaped) = (false, false);
    let parts = text.split(move |character| {
        let is_quote = character == '"' && !escaped;
        quoted ^= is_quote;
        escaped = quoted && character == '\\' && !escaped;
        character == separator && !quoted
    });
    parts.map(str::trim)
}
