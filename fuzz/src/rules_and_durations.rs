//! Short texts in files, headers and commands: durations, rules, hints and the facts of a failure.

use std::time::{Duration, SystemTime};

use steadfast::judge::{self, Rule, Rules};
use steadfast::{Fault, Hint, SqlState, duration};

use crate::answers::json;

/// The first line is a duration, a hint and rules parted by commas; what comes after it is
/// a fault as JSON. Each reader refuses what is not for it.
pub fn check(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    let (line, fault) = text.split_once('\n').unwrap_or((text, text));
    check_duration(line);
    check_hint(line);
    let rules = line.split(',').filter_map(check_rule).collect();
    check_fault(rules, fault);
}

/// P2: a duration is read as what was written.
fn check_duration(text: &str) {
    match duration::parse(text) {
        Ok(read) => {
            let written = duration::format(read);
            assert_eq!(duration::parse(&written), Ok(read), "`{text}` is written as `{written}`");
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// J6: a date that has passed means now, wherever the clock stands.
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

/// J10: a rule is read as what was written, and the compiler would read it the same way.
fn check_rule(text: &str) -> Option<Rule> {
    let rule = text.parse::<Rule>();
    assert_eq!(rule.is_ok(), Rule::is_rule(text), "`{text}` is a rule for one of two");
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

/// J1: facts survive a journey through JSON, and whatever they are, they can be judged.
fn check_fault(rules: Vec<Rule>, text: &str) {
    let Ok(fault) = serde_json::from_str::<Fault>(text) else {
        return;
    };
    let again: Result<Fault, _> = serde_json::from_str(&json(&fault));
    assert_eq!(again.ok().as_ref(), Some(&fault), "after a journey through JSON");
    let _ = (fault.to_string(), fault.invalidates_connection());
    let own = Rules::new(Some(rules.clone()), rules);
    for rules in [Rules::default(), own] {
        let judgement = judge::judge(&rules, &fault);
        assert_eq!(judgement, judge::judge(&rules, &fault));
        let _ = (judgement.rule(&rules), json(&judgement.class()));
    }
}
