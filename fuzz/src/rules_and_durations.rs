//! Arbitrary durations, hints, rules and faults.

use std::time::{Duration, SystemTime};

use steadfast::fault::RetrySignals;
use steadfast::judge::{self, Rule, Rules};
use steadfast::{Fault, Hint, SqlState, duration};

use crate::invariants::json;

/// Checks an input. Its bytes are parsed as the details of a gRPC status; its first line as a duration,
/// as a hint, as retry signals and as comma-separated rules; the rest as a fault in JSON. Each parser
/// rejects the others' texts.
pub fn check(bytes: &[u8]) {
    let _ = Hint::grpc_retry_info(bytes);
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    let (line, fault) = text.split_once('\n').unwrap_or((text, text));
    check_duration(line);
    check_hint(line);
    check_signals(line);
    let rules = line.split(',').filter_map(check_rule).collect();
    check_fault(rules, fault);
}

/// P2: a formatted duration is parsed as the same duration.
fn check_duration(text: &str) {
    match duration::parse(text) {
        Ok(parsed) => {
            let formatted = duration::format(parsed);
            assert_eq!(
                duration::parse(&formatted),
                Ok(parsed),
                "`{text}` is formatted as `{formatted}`"
            );
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// J6: the delay until a date never grows with the time of the clock; a past date means no delay.
fn check_hint(text: &str) {
    let later = SystemTime::UNIX_EPOCH + Duration::from_secs(4_102_444_800);
    let early = Hint::retry_after(text, SystemTime::UNIX_EPOCH);
    let late = Hint::retry_after(text, later);
    match (early, late) {
        (Some(Hint::After(early)), Some(Hint::After(late))) => assert!(late <= early, "`{text}`"),
        (early, late) => assert_eq!(early, late, "`{text}`"),
    }
    let _ = (Hint::grpc_pushback(text), SqlState::new(text));
}

/// J6: any header value gives the same facts twice, and a hint only with its source.
fn check_signals(text: &str) {
    let fault = || RetrySignals::ALL.http_fault(429, |_| Some(text), SystemTime::UNIX_EPOCH);
    assert_eq!(fault(), fault());
    assert_eq!(fault().hint.is_some(), fault().hint_source.is_some(), "`{text}`");
    for header in ["ratelimit", "x-ratelimit-reset"] {
        let only = |name: &str| (name == header).then_some(text);
        let _ = RetrySignals::ALL.http_fault(503, only, SystemTime::UNIX_EPOCH);
    }
}

/// J10: a formatted rule is parsed as the same rule, and the check at compile time agrees.
fn check_rule(text: &str) -> Option<Rule> {
    let rule = text.parse::<Rule>();
    assert_eq!(rule.is_ok(), Rule::is_rule(text), "`{text}`: parse and is_rule disagree");
    match rule {
        Ok(rule) => {
            assert_eq!(rule.as_str().parse().as_ref(), Ok(&rule));
            Some(rule)
        }
        Err(error) => {
            assert!(!error.to_string().is_empty());
            None
        }
    }
}

/// J1: a fault is unchanged after a JSON round trip, and can be classified the same way twice.
fn check_fault(rules: Vec<Rule>, text: &str) {
    let Ok(fault) = serde_json::from_str::<Fault>(text) else {
        return;
    };
    let again: Result<Fault, _> = serde_json::from_str(&json(&fault));
    assert_eq!(again.ok().as_ref(), Some(&fault), "JSON round trip");
    let _ = (fault.to_string(), fault.invalidates_connection());
    let own = Rules::new(Some(rules.clone()), rules);
    for rules in [Rules::default(), own] {
        let judgement = judge::judge(&rules, &fault);
        assert_eq!(judgement, judge::judge(&rules, &fault));
        let _ = (judgement.rule(&rules), json(&judgement.class()));
    }
}
