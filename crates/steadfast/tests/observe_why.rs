//! O4: each attempt records why: the rule that matched, the limit, guard or hint that decided.

#![cfg(feature = "record")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::time::Duration;

use serde_json::{Value, json};
use steadfast::fault::RetrySignal;
use steadfast::guard::{Breaker, BreakerSettings, Budget, BudgetSettings};
use steadfast::judge::Judgement;
use steadfast::observe::{DecidedBy, Why};
use steadfast::policy::{Draft, Nested};
use steadfast::{CancelHandle, Class, Failure, Fault, Hint, Jitter, Kind, Policy, retry};

#[derive(Clone, Debug)]
struct Bad(Fault);

impl Failure for Bad {
    fn fault(&self) -> Fault {
        self.0.clone()
    }
}

/// All decisions of a session that always fails with this fault.
fn decided(draft: Draft, fault: &Fault) -> Vec<Why> {
    let policy = draft.build().unwrap();
    let mut whys = Vec::new();
    let _ = retry(&policy, || Err::<(), _>(Bad(fault.clone())))
        .seed(1)
        .on_event(|event| whys.extend(Why::of(event)))
        .call();
    whys
}

fn sentences(whys: &[Why]) -> Vec<String> {
    whys.iter().map(ToString::to_string).collect()
}

/// The sentence of the last decision.
fn end_of(draft: Draft, fault: &Fault) -> String {
    sentences(&decided(draft, fault)).pop().unwrap()
}

const MS: Duration = Duration::from_millis(1);

fn limited(seconds: u64) -> Fault {
    Fault::http(429).with_hint(Hint::After(Duration::from_secs(seconds)))
}

#[test]
fn retry_explanation_names_rule_and_backoff() {
    let whys = decided(Policy::exponential(MS).max_attempts(3), &Fault::http(503));
    let rule = "rule `5xx` (default) makes it retryable";
    let expected = [
        format!("{rule}; backoff for retry 1: 1ms"),
        format!("{rule}; backoff for retry 2: 2ms"),
        format!("{rule}; max_attempts 3 reached"),
    ];
    assert_eq!(sentences(&whys), expected);
    let expected = json!({
        "class": "retryable",
        "rule": "5xx",
        "matched_by": "default",
        "decided_by": {"by": "backoff", "retry": 2, "base": 0.002, "delay": 0.002},
        "sentence": format!("{rule}; backoff for retry 2: 2ms"),
    });
    assert_eq!(serde_json::to_value(&whys[1]).unwrap(), expected);
}

#[test]
fn retry_explanation_has_jitter_beside_the_backoff() {
    let draft = Policy::fixed(MS).max_attempts(2).jitter(Jitter::Full);
    let whys = decided(draft, &Fault::http(503));
    let json = serde_json::to_value(&whys[0]).unwrap();
    let delay = json["decided_by"]["delay"].as_f64().unwrap();
    assert!(json["decided_by"]["base"] == 0.001 && delay < 0.001);
    let sentence = json["sentence"].as_str().unwrap();
    assert!(
        sentence.contains("backoff for retry 1: 1ms; ") && sentence.ends_with(" after jitter"),
        "{sentence}"
    );
}

/// O4: a displayed delay is rounded; the number beside it is exact.
#[test]
fn jittered_delay_is_rounded_in_the_explanation() {
    let sentence_of = |delay| DecidedBy::Backoff { retry: 1, base: MS, delay }.to_string();
    for (nanos, words) in [(1_234_567, "1235us"), (12_345_678, "12ms"), (1_500_499_999, "1.5s")] {
        let sentence = sentence_of(Duration::from_nanos(nanos));
        assert!(sentence.ends_with(&format!("; {words} after jitter")), "{sentence}");
    }
}

#[test]
fn explanation_names_the_followed_hint() {
    let hinted = Fault::http(429).with_hint(Hint::After(MS));
    let why = &decided(Policy::immediate(), &hinted)[0];
    assert_eq!(why.to_string(), "rule `429` (default) makes it rate_limited; server hint: 1ms");
    assert_eq!(
        serde_json::to_value(why).unwrap()["decided_by"],
        json!({"by": "hint", "wait": 0.001})
    );
    let none = &decided(Policy::immediate(), &limited(0))[0].decided_by;
    assert!(matches!(none, DecidedBy::Backoff { .. }), "a hint of zero is no wait");
}

/// O4, J2: the explanation has the hint and the delay with its jitter.
#[test]
fn explanation_names_the_jitter_of_a_hint() {
    let hint = Judgement::by_code(Class::RateLimited, Some(10 * MS));
    let policy = Policy::immediate().build().unwrap();
    let why = Why::retried(&policy, hint, 1, 11 * MS);
    assert_eq!(why.decided_by.to_string(), "server hint: 10ms; 11ms after jitter");
    let json = json!({"by": "hint", "wait": 0.01, "delay": 0.011});
    assert_eq!(serde_json::to_value(why.decided_by).unwrap(), json);
    let earlier: DecidedBy = serde_json::from_value(json!({"by": "hint", "wait": 7.0})).unwrap();
    assert_eq!(earlier.to_string(), "server hint: 7s");
}

/// O4: a hint is explained by the header that contained it, and so is the word of the other side.
#[test]
fn explanation_names_the_signal_of_the_hint() {
    let limited =
        |wait| Fault::http(429).with_hint_from(Hint::After(wait), RetrySignal::RetryAfterMs);
    let why = &decided(Policy::immediate().max_rate_limit_waits(1), &limited(MS))[0];
    let rate_limited = "rule `429` (default) makes it rate_limited";
    assert_eq!(why.to_string(), format!("{rate_limited}; server hint `retry-after-ms`: 1ms"));
    let json = serde_json::to_value(why).unwrap();
    assert_eq!(json["decided_by"]["source"], "retry-after-ms");
    assert_eq!(serde_json::from_value::<Why>(json).unwrap(), *why);

    let too_long = end_of(Policy::immediate().max_hint(MS), &limited(2 * MS));
    let expected = "server hint `retry-after-ms` (2ms) is longer than max_hint 1ms";
    assert_eq!(too_long, format!("{rate_limited}; {expected}"));
    let stopped = end_of(Policy::immediate(), &Fault::http(429).with_should_retry(false));
    assert_eq!(stopped, "rule `x-should-retry` (default) makes it final; not retryable");
}

#[test]
fn explanation_names_the_list_of_the_rule() {
    let draft = || Policy::immediate().max_attempts(1).retry_on(["5xx"]).abort_on(["501"]);
    let aborted = end_of(draft(), &Fault::http(501));
    assert_eq!(aborted, "rule `501` (abort_on) makes it final; not retryable");
    let retried = end_of(draft(), &Fault::http(503));
    assert_eq!(retried, "rule `5xx` (retry_on) makes it retryable; max_attempts 1 reached");
    let unknown = end_of(draft(), &Fault::of(Kind::Other));
    assert_eq!(unknown, "no rule matches, so it is final; not retryable");
}

#[test]
fn explanation_names_a_class_given_in_code() {
    let policy = Policy::immediate().max_attempts(1).build().unwrap();
    let mut whys = Vec::new();
    let _ = retry(&policy, || Err::<(), _>(Bad(Fault::default())))
        .judge(|_| Some(Class::Retryable))
        .on_give_up(|happening| whys.extend(Why::of(happening)))
        .call();
    assert_eq!(
        sentences(&whys),
        ["the program classified it as retryable; max_attempts 1 reached"]
    );
}

#[test]
fn explanation_names_the_exceeded_limit() {
    let out_of_time = Policy::fixed(Duration::from_secs(60)).max_duration(Duration::from_secs(60));
    assert_eq!(
        end_of(out_of_time, &Fault::http(503)),
        "rule `5xx` (default) makes it retryable; max_duration 1m leaves no time"
    );
    let rate_limited = "rule `429` (default) makes it rate_limited";
    let draft = Policy::immediate().max_hint(Duration::from_secs(60));
    assert_eq!(
        end_of(draft, &limited(120)),
        format!("{rate_limited}; server hint (2m) is longer than max_hint 1m")
    );
    assert_eq!(
        end_of(Policy::immediate(), &limited(86_400)),
        format!("{rate_limited}; server hint (1d) is longer than the default max_hint")
    );
    let unknown = Fault::of(Kind::Timeout).with_unknown_outcome();
    assert_eq!(
        end_of(Policy::immediate().idempotent(false), &unknown),
        "rule `timeout` (default) makes it unknown_outcome; \
         it may have taken effect and is not idempotent"
    );
    assert_eq!(
        end_of(Policy::immediate().enabled(false), &Fault::http(503)),
        "rule `5xx` (default) makes it retryable; policy disabled"
    );
}

#[test]
fn explanation_names_the_rejecting_guard() {
    let policy = Policy::immediate().max_attempts(5).build().unwrap();
    let down = || Err::<(), _>(Bad(Fault::http(503)));
    let budget = Budget::new(BudgetSettings::Rate { retries_per_second: 0.001 }).unwrap();
    let mut whys = Vec::new();
    let _ = retry(&policy, down)
        .budget(&budget)
        .on_give_up(|happening| whys.extend(Why::of(happening)))
        .call();
    assert_eq!(sentences(&whys), ["rule `5xx` (default) makes it retryable; budget exhausted"]);

    let breaker = Breaker::new(BreakerSettings::consecutive(1, Duration::from_secs(60))).unwrap();
    let mut whys = Vec::new();
    let _ = retry(&policy, down)
        .breaker(&breaker)
        .on_give_up(|happening| whys.extend(Why::of(happening)))
        .call();
    assert_eq!(sentences(&whys), ["breaker open"]);
}

#[test]
fn explanation_names_outer_and_inner_sessions() {
    let outer = Policy::immediate().max_attempts(2).build().unwrap();
    let down = || Err::<(), _>(Bad(Fault::http(503)));
    let mut whys = Vec::new();
    let left = Policy::immediate().max_attempts(2).nested(Nested::Outer).build().unwrap();
    let _ = retry(&outer, || {
        let inside = retry(&left, down).on_give_up(|happening| whys.extend(Why::of(happening)));
        inside.call().map_err(|error| error.into_error().unwrap())
    })
    .call();
    let rule = "rule `5xx` (default) makes it retryable";
    assert_eq!(sentences(&whys)[0], format!("{rule}; the outer session retries"));

    let policy = || Policy::immediate().max_attempts(2).nested(Nested::Inner).build().unwrap();
    let (outer, own, mut whys) = (policy(), policy(), Vec::new());
    let _ = retry(&outer, || retry(&own, down).call().map_err(|error| error.into_error().unwrap()))
        .on_give_up(|happening| whys.extend(Why::of(happening)))
        .call();
    assert_eq!(sentences(&whys), [format!("{rule}; an inner session has already retried")]);
}

#[test]
fn cancelled_session_explanation_has_no_rule() {
    let handle = CancelHandle::new();
    handle.cancel();
    let policy = Policy::immediate().build().unwrap();
    let mut whys = Vec::new();
    let _ = retry(&policy, || Ok::<_, Bad>(()))
        .cancel_with(&handle)
        .on_give_up(|happening| whys.extend(Why::of(happening)))
        .call();
    let expected = json!({
        "matched_by": "nothing",
        "decided_by": {"by": "cancelled"},
        "sentence": "cancelled",
    });
    assert_eq!(serde_json::to_value(&whys[0]).unwrap(), expected);
}

/// O4: the written form can be read again, and unknown values of a later version are accepted.
#[test]
fn explanation_round_trips_through_json() {
    for fault in [Fault::http(503), limited(0), limited(86_400), Fault::default()] {
        for why in decided(Policy::immediate().max_rate_limit_waits(1), &fault) {
            let json = serde_json::to_value(&why).unwrap();
            assert_eq!(serde_json::from_value::<Why>(json).unwrap(), why);
        }
    }
    let later = json!({"matched_by": "default", "decided_by": {"by": "moonlight"}});
    let why: Why = serde_json::from_value(later).unwrap();
    assert_eq!(why.to_string(), "for another reason");
    assert_eq!(serde_json::to_value(&why).unwrap()["decided_by"], json!({"by": "other"}));
    assert!(serde_json::from_value::<Why>(Value::Null).is_err());
}
