//! Parsers of scenario values.

use std::time::Duration;

use steadfast::duration;
use steadfast_sim::{Arrival, BrownOut, Errors, Latency, Outage, RateLimit};

type Parsed<T> = Result<T, String>;

pub(super) fn time(text: &str) -> Parsed<Duration> {
    duration::parse(text).map_err(|why| why.to_string())
}

fn number(text: &str) -> Parsed<f64> {
    text.trim().parse().map_err(|_| format!("`{text}` is not a number"))
}

pub(super) fn arrival(text: &str) -> Parsed<Arrival> {
    match text.split_once(':') {
        None if text == "burst" => Ok(Arrival::Burst),
        Some(("steady", over)) => Ok(Arrival::Steady(time(over)?)),
        Some(("poisson", over)) => Ok(Arrival::Poisson(time(over)?)),
        _ => Err("must be burst, steady:PERIOD or poisson:PERIOD, such as poisson:5m".to_owned()),
    }
}

pub(super) fn latency(text: &str) -> Parsed<Latency> {
    let Some((shape, values)) = text.split_once(':') else {
        return Ok(Latency::Constant(time(text)?));
    };
    match (shape, values.split_once(',')) {
        ("normal", Some((mean, deviation))) => {
            Ok(Latency::Normal { mean: time(mean)?, deviation: time(deviation)? })
        }
        ("lognormal", Some((median, sigma))) => {
            Ok(Latency::Lognormal { median: time(median)?, sigma: number(sigma)? })
        }
        _ => Err("must be like 50ms, normal:50ms,10ms or lognormal:50ms,0.5".to_owned()),
    }
}

/// Parses `30s..60s` and returns the options after it.
fn period(text: &str) -> Parsed<(Duration, Duration, impl Iterator<Item = &str>)> {
    let mut parts = text.split(',');
    let times = parts.next().and_then(|times| times.split_once(".."));
    let (from, to) = times.ok_or("must be a period such as 30s..60s")?;
    Ok((time(from)?, time(to)?, parts))
}

pub(super) fn outage(text: &str) -> Parsed<Outage> {
    let (from, to, mut rest) = period(text)?;
    match (rest.next(), rest.next()) {
        (None, _) => Ok(Outage { from, to, silent: false }),
        (Some("silent"), None) => Ok(Outage { from, to, silent: true }),
        _ => Err("only `,silent` may follow the period".to_owned()),
    }
}

pub(super) fn brown_out(text: &str) -> Parsed<BrownOut> {
    let (from, to, rest) = period(text)?;
    let mut brown_out = BrownOut { from, to, failing: 0.0, capacity: 1.0 };
    for part in rest {
        match part.split_once('=') {
            Some(("failing", share)) => brown_out.failing = number(share)?,
            Some(("capacity", share)) => brown_out.capacity = number(share)?,
            _ => return Err(format!("`{part}` is neither failing=SHARE nor capacity=SHARE")),
        }
    }
    Ok(brown_out)
}

pub(super) fn rate_limit(text: &str) -> Parsed<RateLimit> {
    let Some((rate, wait)) = text.split_once(',') else {
        return Ok(RateLimit { per_second: number(text)?, retry_after: None });
    };
    let wait = wait.strip_prefix("retry_after=").ok_or("must be like 100,retry_after=2s")?;
    Ok(RateLimit { per_second: number(rate)?, retry_after: Some(time(wait)?) })
}

pub(super) fn errors(text: &str) -> Parsed<Errors> {
    let mut errors = Errors::default();
    for part in text.split(',') {
        let (class, share) = part.split_once('=').ok_or("must be like retryable=0.01")?;
        let target = match class {
            "retryable" => &mut errors.retryable,
            "rate_limited" => &mut errors.rate_limited,
            "unknown_outcome" => &mut errors.unknown_outcome,
            "final" => &mut errors.permanent,
            _ => return Err(format!("`{class}` is not a failure class")),
        };
        *target = number(share)?;
    }
    Ok(errors)
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: fn(u64) -> Duration = Duration::from_secs;

    /// Section 13: scenarios as flags.
    #[test]
    fn documented_values_are_parsed() {
        assert_eq!(arrival("burst"), Ok(Arrival::Burst));
        assert_eq!(arrival("poisson:5m"), Ok(Arrival::Poisson(S(300))));
        assert_eq!(latency("50ms"), Ok(Latency::Constant(Duration::from_millis(50))));
        let lognormal = Latency::Lognormal { median: S(1), sigma: 0.5 };
        assert_eq!(latency("lognormal:1s,0.5"), Ok(lognormal));
        assert_eq!(outage("30s..60s,silent"), Ok(Outage { from: S(30), to: S(60), silent: true }));
        let brown = BrownOut { from: S(1), to: S(2), failing: 0.5, capacity: 0.3 };
        assert_eq!(brown_out("1s..2s,failing=0.5,capacity=0.3"), Ok(brown));
        let limit = RateLimit { per_second: 100.0, retry_after: Some(S(2)) };
        assert_eq!(rate_limit("100,retry_after=2s"), Ok(limit));
        assert_eq!(errors("final=0.25").map(|errors| errors.permanent), Ok(0.25));
    }

    #[test]
    fn invalid_value_error_shows_format() {
        assert_eq!(
            arrival("steady"),
            Err("must be burst, steady:PERIOD or poisson:PERIOD, such as poisson:5m".into())
        );
        assert_eq!(outage("30s"), Err("must be a period such as 30s..60s".into()));
        assert_eq!(errors("fatal=1"), Err("`fatal` is not a failure class".into()));
        assert!(latency("normal:1s").unwrap_err().starts_with("must be like 50ms"));
    }
}
