//! Section 2 of the specification: policies, their defaults and their validation.
//! Delays are tested in `decide.rs`.

#![cfg(feature = "serde")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::time::Duration;

use steadfast::guard::{BreakerSettings, BudgetSettings};
use steadfast::policy::{BackoffType, Draft, FIELDS, Nested, PRESETS, PolicyError, Setting};
use steadfast::{Class, Jitter, Policy};

const MS: Duration = Duration::from_millis(1);
const SECOND: Duration = Duration::from_secs(1);
const DAY: Duration = Duration::from_secs(86_400);

/// The draft in a JSON text, or what stops it from being read.
fn draft(json: &str) -> Result<Draft, PolicyError> {
    let Setting::Map(fields) = serde_json::from_str(json).unwrap() else {
        panic!("{json} is no map");
    };
    let mut draft = Draft::new();
    for (field, value) in &fields {
        draft.set(field, value)?;
    }
    Ok(draft)
}

/// The policy of these fields.
fn policy(fields: &str) -> Policy {
    let json = format!(r#"{{"id": "p", {fields}}}"#);
    draft(&json).and_then(Policy::try_from).unwrap_or_else(|error| panic!("{json}: {error}"))
}

/// Why these fields are not a valid policy: the field and the message.
fn refused(fields: &str) -> (String, String) {
    let json = format!(r#"{{"id": "p", {fields}}}"#);
    match draft(&json).and_then(Policy::try_from) {
        Ok(_) => panic!("{json} was accepted"),
        Err(error) => (error.field(), error.to_string()),
    }
}

fn assert_refused(fields: &str, field: &str, message: &str) {
    assert_eq!(refused(fields), (field.to_owned(), message.to_owned()), "{fields}");
}

/// The same policy after a round trip through JSON.
fn travelled(policy: &Policy) -> Policy {
    serde_json::from_str(&serde_json::to_string(policy).unwrap()).unwrap()
}

fn delays(policy: &Policy) -> Vec<Duration> {
    policy.plan().skip(1).map(|planned| planned.delay).collect()
}

/// P1: code, JSON and the row of a task say the same.
#[test]
fn policy_in_code_equals_policy_in_json() {
    let in_code = Policy::exponential(500 * MS)
        .id("p")
        .max_attempts(4)
        .max_delay(10 * SECOND)
        .jitter(Jitter::Full)
        .retry_on(["5xx", "429"])
        .abort_on(["4xx"])
        .on(Class::RateLimited, |timing| timing.base_delay(5 * SECOND))
        .build()
        .unwrap();
    let in_json = policy(
        r#""max_attempts": 4, "base_delay": "500ms", "max_delay": 10, "jitter": "full",
           "retry_on": ["5xx", 429], "abort_on": "4xx", "on": {"rate_limited": {"base_delay": 5}}"#,
    );
    assert_eq!(in_code, in_json);
    assert_eq!(travelled(&in_code), in_code);
}

/// P1: the serialized policy does not depend on the reader's defaults.
#[test]
fn serialized_policy_contains_defaults() {
    let written = serde_json::to_value(policy(r#""max_retries": 4"#)).unwrap();
    assert_eq!(written["max_attempts"], 5);
    assert_eq!(written["max_delay"], 60.0);
    assert!(written.get("max_rate_limit_waits").is_none(), "it depends on the place");
}

/// P1: counts inside `breaker` and `budget` are read, and read back.
#[test]
fn serialized_policy_contains_guards() {
    let guarded = policy(
        r#""breaker": {"failure_rate": 0.5, "window_calls": 20, "minimum_volume": 10, "probes": 3},
           "budget": {"max_tokens": 10, "token_ratio": 0.5}"#,
    );
    let breaker = guarded.breaker().unwrap();
    assert_eq!((breaker.window_calls, breaker.minimum_volume), (Some(20), Some(10)));
    assert_eq!(
        guarded.budget(),
        Some(&BudgetSettings::Tokens { max_tokens: 10, token_ratio: 0.5 })
    );
    assert_eq!(travelled(&guarded), guarded);
}

/// P1: a durable stage that has no name of its own does not get one on the way, which it
/// would share with every other nameless stage, breaker and budget included.
#[test]
fn durable_stage_without_id_round_trips() {
    let staged = policy(r#""durable": {"max_attempts": 9, "base_delay": "1h"}"#);
    assert_eq!(staged.durable().unwrap().id(), None);
    assert_eq!(travelled(&staged), staged);
}

/// P1: durations longer than any calendar travel, too.
#[test]
fn longest_durations_round_trip() {
    let long = Policy::custom([Duration::MAX])
        .id("p")
        .max_duration(Duration::MAX)
        .max_hint(Duration::from_secs(u64::MAX))
        .attempt_timeout(8_000_000 * DAY)
        .build()
        .unwrap();
    assert_eq!(travelled(&long), long);
}

/// P1: numbers that no short decimal hits keep their last bit.
#[test]
fn numbers_round_trip_exactly() {
    for number in [1.0 + f64::EPSILON, 1.6, 1.699_249_628_212_987_9, 10.798_104_955_800_099] {
        let policy = Draft::new().id("p").multiplier(number).build().unwrap();
        assert_eq!(travelled(&policy), policy, "{number}");
    }
}

/// P1: a policy inside other settings needs no id, and has none when it is read again.
#[test]
fn policy_inside_other_settings_needs_no_id() {
    #[derive(serde::Serialize, serde::Deserialize)]
    struct Settings {
        port: u16,
        retry: Policy,
    }
    let settings: Settings =
        serde_json::from_str(r#"{"port": 80, "retry": {"max_attempts": 4}}"#).unwrap();
    assert_eq!((settings.retry.id(), settings.retry.max_attempts()), (None, 4));
    let written = serde_json::to_string(&settings).unwrap();
    let again: Settings = serde_json::from_str(&written).unwrap();
    assert_eq!((again.port, again.retry), (80, settings.retry));
}

/// P2: an empty id is an error, and the name is the id by default.
#[test]
fn policy_id_is_not_empty() {
    let error = Policy::try_from(Draft::new().id("")).unwrap_err();
    assert_eq!(error.to_string(), "id: is empty; write one, or leave it out");
    assert_eq!(Draft::new().build().unwrap().id(), None);
    assert_eq!(policy(r#""enabled": true"#).name(), Some("p"));
    assert_eq!(policy(r#""name": "Uploads""#).name(), Some("Uploads"));
}

/// P2: the defaults.
#[test]
fn defaults() {
    let plain = policy(r#""description": "nothing else""#);
    assert!(plain.is_enabled());
    assert_eq!(plain.max_attempts(), 3);
    assert_eq!(delays(&plain), [SECOND, 2 * SECOND]);
    assert_eq!(plain.max_duration(), None);
    assert_eq!(plain.attempt_timeout(), None);
    assert_eq!(plain.idempotent(), None);
    assert_eq!(plain.max_hint(), None);
    assert_eq!(plain.max_rate_limit_waits(), None);
    assert_eq!(plain.nested(), Nested::Outer);
    assert_eq!((plain.breaker(), plain.budget(), plain.durable()), (None, None, None));
    assert_eq!((plain.rules().retry_on(), plain.rules().abort_on().len()), (None, 0));
    assert_eq!(plain.description(), Some("nothing else"));
}

/// P2: `max_attempts` is at least 1 and counts the first attempt.
#[test]
fn max_attempts_includes_the_first() {
    assert_eq!(policy(r#""max_attempts": 1"#).max_attempts(), 1);
    assert_eq!(policy(r#""max_attempts": 4294967295"#).max_attempts(), u32::MAX);
    assert_refused(
        r#""max_attempts": 0"#,
        "max_attempts",
        "max_attempts must be at least 1, not 0",
    );
    for (written, shown) in
        [("4294967296", "4294967296"), ("-1", "-1"), ("1.5", "1.5"), (r#""NaN""#, "`NaN`")]
    {
        assert_refused(
            &format!(r#""max_attempts": {written}"#),
            "max_attempts",
            &format!("max_attempts: expected a whole number from 1 to 4294967295, not {shown}"),
        );
    }
}

/// P2: `max_retries: n` means n + 1 attempts, and stands alone.
#[test]
fn max_retries_excludes_the_first() {
    assert_eq!(policy(r#""max_retries": 0"#).max_attempts(), 1);
    assert_eq!(policy(r#""max_retries": 3"#).max_attempts(), 4);
    assert_eq!(policy(r#""max_retries": 4294967295"#).max_attempts(), u32::MAX);
    assert_refused(
        r#""max_attempts": 4, "max_retries": 3"#,
        "max_attempts",
        "set only one of max_attempts and max_retries",
    );
}

/// P2: `base_delay` is at least 0.
#[test]
fn base_delay_is_not_negative() {
    assert_eq!(delays(&policy(r#""base_delay": 0"#)), [Duration::ZERO; 2]);
    for (written, shown, why) in [
        ("-1", "-1", "it is negative"),
        (r#""-1ms""#, "-1ms", "it is negative"),
        (r#""NaN""#, "NaN", "it is not a finite number"),
        (r#""infinity""#, "inf", "it is not a finite number"),
        (r#""soon""#, "soon", "unknown format"),
    ] {
        assert_refused(
            &format!(r#""base_delay": {written}"#),
            "base_delay",
            &format!(
                "base_delay: `{shown}` is not a duration: {why}; \
                 use one such as 500ms, 1.5s, 10m, 7d or PT30S, or a number of seconds"
            ),
        );
    }
    assert_refused(
        r#""base_delay": true"#,
        "base_delay",
        "base_delay: expected a duration, not true",
    );
}

/// P2: `multiplier` is at least 1, and finite.
#[test]
fn multiplier_is_finite_and_at_least_one() {
    assert_eq!(delays(&policy(r#""multiplier": 1"#)), [SECOND; 2]);
    assert_eq!(delays(&policy(r#""multiplier": 1e308"#)), [SECOND, 60 * SECOND]);
    for (written, message) in [
        ("0.999", "multiplier must be at least 1, not 0.999"),
        ("-2", "multiplier must be at least 1, not -2"),
        (r#""NaN""#, "multiplier: expected a number, not `NaN`"),
        (r#""inf""#, "multiplier: expected a number, not `inf`"),
        (r#""twice""#, "multiplier: expected a number, not `twice`"),
    ] {
        assert_refused(&format!(r#""multiplier": {written}"#), "multiplier", message);
    }
}

/// P2: `max_delay` is at least `base_delay`, and 60 s or `base_delay` where it is not written.
#[test]
fn max_delay_has_room_for_base_delay() {
    assert_eq!(delays(&policy(r#""base_delay": "2s", "max_delay": "2s""#)), [2 * SECOND; 2]);
    assert_refused(
        r#""base_delay": "2s", "max_delay": "1.999999999s""#,
        "max_delay",
        "max_delay 1.999999999s is shorter than base_delay 2s",
    );
    assert_refused(
        r#""max_delay": "999ms""#,
        "max_delay",
        "max_delay 999ms is shorter than base_delay 1s",
    );
    assert_eq!(delays(&policy(r#""base_delay": "40s""#)), [40 * SECOND, 60 * SECOND]);
    assert_eq!(delays(&policy(r#""base_delay": "61s""#)), [61 * SECOND; 2]);
}

/// P2: `max_delay` caps fixed and custom delays only where it is written.
#[test]
fn fixed_and_custom_are_capped_only_explicitly() {
    let fixed = r#""backoff_type": "fixed", "base_delay": "1d""#;
    assert_eq!(delays(&policy(fixed)), [DAY; 2]);
    let custom = r#""schedule": ["7d", "14d"]"#;
    assert_eq!(delays(&policy(custom)), [7 * DAY, 14 * DAY]);
    assert_eq!(delays(&policy(&format!(r#"{custom}, "max_delay": "10d""#))), [7 * DAY, 10 * DAY]);
}

/// P1, P2: what has no longest delay says none, and has none where it is read.
#[test]
fn absent_max_delay_round_trips() {
    for fields in [r#""backoff_type": "fixed""#, r#""schedule": ["7d"]"#] {
        let endless = policy(fields);
        assert_eq!(serde_json::to_value(&endless).unwrap().get("max_delay"), None, "{fields}");
        assert_eq!(travelled(&endless), endless);
    }
    let of_class =
        policy(r#""max_delay": "1m", "on": {"rate_limited": {"backoff_type": "fixed"}}"#);
    assert_eq!(travelled(&of_class), of_class);
}

/// P2: a `schedule` is what makes a backoff custom, and is not empty.
#[test]
fn schedule_belongs_to_custom() {
    assert_eq!(delays(&policy(r#""schedule": ["5s"], "max_attempts": 4"#)), [5 * SECOND; 3]);
    assert_eq!(delays(&policy(r#""schedule": "5s,6s""#)), [5 * SECOND, 6 * SECOND]);
    assert_refused(r#""schedule": []"#, "schedule", "schedule must have at least one delay");
    let missing = "backoff_type custom requires a schedule";
    assert_refused(r#""backoff_type": "custom""#, "backoff_type", missing);
    assert_refused(
        r#""backoff_type": "fixed", "schedule": [1, 2]"#,
        "schedule",
        "schedule is only used with backoff_type custom",
    );
}

/// P2: jitter has a short form, of full strength, and a long one, whose amount is 0.1.
#[test]
fn jitter_has_two_forms() {
    let band = |fields: &str| {
        let planned = policy(fields).plan().nth(1).unwrap();
        (planned.min, planned.max)
    };
    assert_eq!(band(r#""name": "none written""#), (SECOND, SECOND));
    assert_eq!(band(r#""jitter": "none""#), (SECOND, SECOND));
    assert_eq!(band(r#""jitter": "full""#), (Duration::ZERO, SECOND));
    assert_eq!(band(r#""jitter": "equal""#), (500 * MS, SECOND));
    assert_eq!(band(r#""jitter": "decorrelated""#), (SECOND, 3 * SECOND));
    assert_eq!(band(r#""jitter": "proportional""#), (Duration::ZERO, 2 * SECOND));
    assert_eq!(
        band(r#""jitter_type": "proportional", "jitter_amount": 0.2"#),
        (800 * MS, 1200 * MS)
    );
    assert_eq!(band(r#""jitter": "100ms""#), (SECOND, 1100 * MS));
    assert_eq!(band(r#""jitter": 0.1"#), (SECOND, 1100 * MS));
    assert_eq!(band(r#""jitter_type": "full""#), (900 * MS, SECOND));
    assert_eq!(band(r#""jitter_type": "full", "jitter_amount": 0.5"#), (500 * MS, SECOND));
    assert_eq!(band(r#""jitter_amount": 0.5"#), (SECOND, SECOND));
    assert_refused(
        r#""jitter": "full", "jitter_type": "equal""#,
        "jitter",
        "set only one of jitter and jitter_type",
    );
    assert_refused(
        r#""jitter": "lots""#,
        "jitter",
        "jitter: `lots` is not a jitter type; use none, full, equal, decorrelated, proportional or a duration such as 100ms",
    );
    assert_refused(
        r#""jitter_type": "100ms""#,
        "jitter_type",
        "jitter_type: `100ms` is not one of none, full, equal, decorrelated, proportional",
    );
}

/// P2: `min_delay` is at most `max_delay`, whether that is written or the default.
#[test]
fn min_delay_has_room_below_max_delay() {
    for fields in [r#""min_delay": "60s""#, r#""min_delay": "2m", "max_delay": "2m""#] {
        policy(fields);
    }
    policy(r#""min_delay": "2m", "backoff_type": "fixed""#);
    assert_refused(
        r#""min_delay": "61s""#,
        "min_delay",
        "min_delay 61s is longer than max_delay 1m",
    );
    assert_refused(
        r#""min_delay": "2s", "max_delay": "1s""#,
        "min_delay",
        "min_delay 2s is longer than max_delay 1s",
    );
}

/// P1, P7: a class without a shortest delay does not inherit one when it is read again.
#[test]
fn class_can_lift_the_shortest_delay() {
    let lifted =
        policy(r#""min_delay": "1s", "jitter": "full", "on": {"rate_limited": {"min_delay": 0}}"#);
    assert_eq!(lifted.timing().min_delay(), SECOND);
    assert_eq!(lifted.timing_on(Class::RateLimited).min_delay(), Duration::ZERO);
    assert_eq!(travelled(&lifted), lifted);
}

/// P2: `jitter_amount` lies in 0.0..=1.0.
#[test]
fn jitter_amount_is_a_fraction() {
    for amount in ["0", "1", "0.1"] {
        policy(&format!(r#""jitter_type": "full", "jitter_amount": {amount}"#));
    }
    for amount in ["1.0000001", "-0.1", "1e308"] {
        let Err(error) = draft(&format!(r#"{{"jitter_amount": {amount}}}"#)).unwrap().build()
        else {
            panic!("{amount} was accepted");
        };
        assert!(error.message().starts_with("must be between 0 and 1, not "), "{error}");
    }
    for amount in [f64::NAN, f64::INFINITY] {
        assert!(Draft::new().jitter_amount(amount).build().is_err());
    }
}

/// P2: additive jitter is what it says, in whatever form code has written it.
#[test]
fn additive_jitter_has_no_amount() {
    let long = Policy::fixed(SECOND).id("p").jitter_type(Jitter::Additive(MS)).build().unwrap();
    let short = Policy::fixed(SECOND).id("p").jitter(Jitter::Additive(MS)).build().unwrap();
    assert_eq!(long, short);
    assert_eq!(travelled(&long), long);
}

/// P2: `max_duration` is at least `base_delay`.
#[test]
fn max_duration_has_room_for_base_delay() {
    assert_eq!(policy(r#""max_duration": "1s""#).max_duration(), Some(SECOND));
    assert_refused(
        r#""max_duration": "999999999ns""#,
        "max_duration",
        "max_duration 999999999ns is shorter than base_delay 1s",
    );
}

/// P2: the breaker's simple form: a threshold of at least 1, a timeout of more than 0.
#[test]
fn circuit_breaker_is_within_bounds() {
    let simple = policy(
        r#""enable_circuit_breaker": true, "circuit_breaker_threshold": 1,
           "circuit_breaker_timeout": "1ns""#,
    );
    let expected = BreakerSettings::consecutive(1, Duration::from_nanos(1));
    assert_eq!(simple.breaker(), Some(&expected));
    let defaults = BreakerSettings::consecutive(5, 60 * SECOND);
    assert_eq!(policy(r#""enable_circuit_breaker": true"#).breaker(), Some(&defaults));
    assert_eq!(policy(r#""enable_circuit_breaker": false"#).breaker(), None);
    assert_refused(
        r#""enable_circuit_breaker": true, "circuit_breaker_threshold": 0"#,
        "circuit_breaker_threshold",
        "circuit_breaker_threshold must be at least 1, not 0",
    );
    assert_refused(
        r#""enable_circuit_breaker": true, "circuit_breaker_timeout": 0"#,
        "circuit_breaker_timeout",
        "circuit_breaker_timeout must be greater than 0s, not 0s",
    );
    let off = r#""circuit_breaker_threshold": 0, "circuit_breaker_timeout": 0"#;
    assert_eq!(policy(off).breaker(), None, "what is switched off is not judged");
}

/// P2: `retryable_exceptions` is another name of `retry_on`.
#[test]
fn retryable_exceptions_is_an_alias_of_retry_on() {
    let named = policy(r#""retryable_exceptions": ["TimeoutError", "ConnectionError"]"#);
    let texts: Vec<_> =
        named.rules().retry_on().unwrap().iter().map(|rule| rule.as_str()).collect();
    assert_eq!(texts, ["TimeoutError", "ConnectionError"]);
    assert_refused(
        r#""retry_on": ["any"], "retryable_exceptions": ["any"]"#,
        "retryable_exceptions",
        "retryable_exceptions: retry_on and retryable_exceptions are the same field",
    );
}

/// P2: nested problems have the path to the field.
#[test]
fn nested_problems_have_their_path() {
    for (fields, field, message) in [
        (
            r#""on": {"rate_limited": {"base_delay": "70s", "max_delay": "5s"}}"#,
            "on.rate_limited.max_delay",
            "on.rate_limited.max_delay 5s is shorter than base_delay 70s",
        ),
        (
            r#""durable": {"max_attempts": 0}"#,
            "durable.max_attempts",
            "durable.max_attempts must be at least 1, not 0",
        ),
        (
            r#""breaker": {"threshold": 0}"#,
            "breaker.threshold",
            "breaker.threshold must be at least 1, not 0",
        ),
        (
            r#""budget": {"ratio": -2}"#,
            "budget.ratio",
            "budget.ratio must be between 0.000001 and 1000, not -2",
        ),
        (
            r#""on": {"rate_limited": {"multiplier": "twice"}}"#,
            "on.rate_limited.multiplier",
            "on.rate_limited.multiplier: expected a number, not `twice`",
        ),
        (
            r#""on": {"rate_limited": {"max_attempts": 3}}"#,
            "on.rate_limited.max_attempts",
            "on.rate_limited.max_attempts: no such field",
        ),
        (
            r#""on": {"rate_limited": 5}"#,
            "on.rate_limited",
            "on.rate_limited: expected a map of fields, not 5",
        ),
        (
            r#""on": {"sometimes": {}}"#,
            "on.sometimes",
            "on.sometimes: `sometimes` is not one of final, retryable, rate_limited, unknown_outcome",
        ),
        (
            r#""durable": {"max_attemps": 3}"#,
            "durable.max_attemps",
            "durable.max_attemps: no such field; did you mean `max_attempts`?",
        ),
        (r#""durable": 5"#, "durable", "durable: expected a map of fields, not 5"),
        (
            r#""durable": {"on": {"retryable": {"jitter_amount": 2}}}"#,
            "durable.on.retryable.jitter_amount",
            "durable.on.retryable.jitter_amount must be between 0 and 1, not 2",
        ),
    ] {
        assert_refused(fields, field, message);
    }
}

/// P2: an unknown field is rejected with a suggestion.
#[test]
fn unknown_fields_are_rejected() {
    assert_refused(
        r#""max_attemps": 3"#,
        "max_attemps",
        "max_attemps: no such field; did you mean `max_attempts`?",
    );
    assert_refused(r#""colour": 3"#, "colour", "colour: no such field");
    assert_refused(
        r#""backoff_type": "cubic""#,
        "backoff_type",
        "backoff_type: `cubic` is not one of exponential, linear, fibonacci, fixed, immediate, custom",
    );
}

/// P1: null is the same as absent and resets the field.
#[test]
fn null_resets_a_field() {
    let mut draft =
        Draft::new().max_attempts(9).budget(BudgetSettings::Rate { retries_per_second: 1.0 });
    for field in FIELDS {
        draft.set(field.name, &Setting::Null).unwrap();
    }
    assert_eq!(draft.build(), Draft::new().build());
}

/// P1: a quoted value is a string; an unquoted one has the type of the field.
#[test]
fn only_unquoted_text_is_a_number() {
    let mut draft = Draft::new();
    draft.set("max_attempts", &"4".into()).unwrap();
    draft.set("enabled", &"False".into()).unwrap();
    let quoted = draft.set("max_attempts", &Setting::Text("4".to_owned())).unwrap_err();
    assert_eq!(quoted.message(), "expected a number, not the string `4`; remove the quotes");
    let old = draft.set("enabled", &"yes".into()).unwrap_err();
    assert_eq!(old.message(), "expected true or false, not `yes`");
    assert_eq!(old.suggestion(), Some("true"));
}

/// P2: a part can be written one value at a time, by the path to it.
#[test]
fn fields_can_be_set_by_path() {
    let mut draft = Draft::new().id("p");
    for (path, value) in [
        ("on.rate_limited.base_delay", "5s"),
        ("breaker.threshold", "3"),
        ("budget.ratio", "0.5"),
        ("durable.on.retryable.jitter", "full"),
    ] {
        draft.set(path, &value.into()).unwrap();
    }
    let whole = policy(
        r#""on": {"rate_limited": {"base_delay": "5s"}}, "breaker": {"threshold": 3},
           "budget": {"ratio": 0.5}, "durable": {"on": {"retryable": {"jitter": "full"}}}"#,
    );
    assert_eq!(draft.build().unwrap(), whole);
    for (path, message) in [
        ("max_attempts.least", "max_attempts.least: max_attempts has no fields of its own"),
        ("brakers.x", "brakers: no such field; did you mean `breaker`?"),
        ("breaker.treshold", "breaker.treshold: no such field; did you mean `threshold`?"),
    ] {
        assert_eq!(Draft::new().set(path, &"1".into()).unwrap_err().to_string(), message);
    }
}

/// P2: all problems are reported together.
#[test]
fn all_problems_are_listed() {
    let draft = Draft::new()
        .max_attempts(0)
        .multiplier(f64::NAN)
        .jitter_type(Jitter::Full)
        .jitter_amount(7.0)
        .enable_circuit_breaker(true)
        .circuit_breaker_timeout(Duration::ZERO)
        .retry_on(["5yx"]);
    let messages: Vec<_> = draft.problems().iter().map(ToString::to_string).collect();
    assert_eq!(
        messages,
        [
            "max_attempts must be at least 1, not 0",
            "circuit_breaker_timeout must be greater than 0s, not 0s",
            "multiplier must be a finite number, not NaN",
            "jitter_amount must be between 0 and 1, not 7",
            "`5yx` is not a rule; use one such as 5xx, 503, 08, 40P01, timeout, connection, \
             io:connection_reset, tls, grpc:UNAVAILABLE, exit:75, message:TEXT, a type name, or any",
        ]
    );
    assert_eq!(draft.build().unwrap_err().field(), "max_attempts");
}

/// P2: each field of the list can be set, and a number or a flag may arrive as text, as it
/// does from the environment or a command line.
#[test]
fn fields_can_be_set_by_name() {
    let value = |field: &str| match field {
        "id" | "name" | "description" => "text",
        "enabled" | "idempotent" | "enable_circuit_breaker" => "false",
        "backoff_type" => "linear",
        "jitter" | "jitter_type" => "full",
        "jitter_amount" => "0.5",
        "retry_on" | "retryable_exceptions" | "abort_on" => "5xx,429",
        "nested" => "both",
        "on_open" => "wait",
        _ => "4",
    };
    for field in FIELDS {
        let structured = ["breaker", "budget", "on", "durable"].contains(&field.name);
        let set = Draft::new().set(field.name, &value(field.name).into());
        assert_eq!(set.is_err(), structured, "{}: {set:?}", field.name);
    }
}

/// P6: the presets of the four names exist, are valid and bear their names.
#[test]
fn presets_exist() {
    assert_eq!(PRESETS, ["sql", "patient", "workflow", "grpc"]);
    for name in PRESETS {
        let policy = Draft::preset(name).unwrap().build().unwrap();
        assert_eq!(policy.id(), Some(name));
        assert_eq!(travelled(&policy), policy);
    }
    assert_eq!(Draft::preset("nothing"), None);
}

/// P7: one class's timing takes what it does not say from the policy's own.
#[test]
fn class_timing_overrides_field_by_field() {
    let two = policy(
        r#""base_delay": "1s", "multiplier": 3, "max_delay": "20s", "jitter": "full",
           "on": {"rate_limited": {"base_delay": "5s", "jitter": "none"}}"#,
    );
    let timing = two.timing_on(Class::RateLimited);
    let delays: Vec<_> = (1..4).map(|retry| timing.delay(retry, &mut 0, 0)).collect();
    assert_eq!(delays, [5 * SECOND, 15 * SECOND, 20 * SECOND]);
    assert_eq!(two.timing_on(Class::Retryable), two.timing());
    assert_eq!(travelled(&two), two);
}

/// P7: a longer base delay for one class lifts the cap that was written for all.
#[test]
fn class_timing_raises_the_cap() {
    let lifted = policy(r#""max_delay": "10s", "on": {"rate_limited": {"base_delay": "1m"}}"#);
    let timing = lifted.timing_on(Class::RateLimited);
    assert_eq!([timing.base_delay(1), timing.base_delay(9)], [60 * SECOND; 2]);
}

/// P7: one class can have a backoff of another type.
#[test]
fn class_timing_can_be_of_another_type() {
    let scheduled = policy(
        r#""backoff_type": "linear", "on": {
            "rate_limited": {"schedule": ["1m", "1h"]},
            "unknown_outcome": {"backoff_type": "immediate"}}"#,
    );
    assert_eq!(scheduled.timing().base_delay(3), 3 * SECOND);
    assert_eq!(scheduled.timing_on(Class::RateLimited).base_delay(3), 3600 * SECOND);
    assert_eq!(scheduled.timing_on(Class::UnknownOutcome).base_delay(3), Duration::ZERO);
    assert_eq!(travelled(&scheduled), scheduled);
}

/// P2: of two calls that set the same, the later one wins; a file with both is refused.
#[test]
fn later_call_of_a_builder_wins() {
    let attempts = |draft: Draft| draft.build().unwrap().max_attempts();
    assert_eq!(attempts(Draft::preset("sql").unwrap().max_attempts(5)), 5);
    assert_eq!(attempts(Draft::new().max_attempts(5).max_retries(1)), 2);

    let jitter = |draft: Draft| {
        let policy = draft.build().unwrap();
        (policy.timing().jitter(), policy.timing().jitter_amount())
    };
    let equal = Policy::fixed(SECOND).jitter(Jitter::Equal);
    assert_eq!(jitter(equal.clone().jitter_type(Jitter::Full)), (Jitter::Full, 0.1));
    assert_eq!(jitter(equal.clone().jitter_amount(0.5)), (Jitter::Equal, 0.5));
    assert_eq!(jitter(equal.jitter_amount(0.5).jitter(Jitter::Full)), (Jitter::Full, 1.0));

    let other = Policy::grpc().backoff_type(BackoffType::Fixed).build().unwrap();
    assert_eq!(other.timing().base_delay(3), SECOND);
    let scheduled = Policy::grpc().schedule([MS]).build().unwrap();
    assert_eq!(scheduled.timing().base_delay(3), MS);
    let settings = BreakerSettings::consecutive(2, SECOND);
    let guarded = Draft::new().enable_circuit_breaker(false).breaker(settings).build().unwrap();
    assert_eq!(guarded.breaker(), Some(&settings));
}

/// P2: a policy in code is refused with a setting that has no effect.
#[test]
fn setting_without_effect_is_refused_in_code() {
    let five = 5 * SECOND;
    let refused = |draft: Draft| draft.build().unwrap_err().to_string();
    for (draft, message) in [
        (
            Policy::immediate().base_delay(five),
            "base_delay 5s has no effect with backoff_type immediate",
        ),
        (
            Policy::custom([SECOND]).base_delay(five),
            "base_delay 5s has no effect with backoff_type custom",
        ),
        (
            Policy::linear(SECOND).multiplier(3.0),
            "multiplier 3 has no effect with backoff_type linear",
        ),
        (
            Policy::exponential(SECOND).increment(five),
            "increment 5s has no effect with backoff_type exponential",
        ),
        (
            Policy::exponential(120 * SECOND),
            "base_delay 2m does not grow under the default max_delay; set max_delay, or use fixed",
        ),
        (Draft::new().jitter_amount(0.5), "jitter_amount 0.5 has no effect without jitter_type"),
        (
            Draft::new().circuit_breaker_threshold(3),
            "circuit_breaker_threshold 3 has no effect without enable_circuit_breaker",
        ),
        (
            Draft::new().breaker(BreakerSettings::default()).circuit_breaker_timeout(five),
            "circuit_breaker_timeout 5s has no effect with breaker",
        ),
        (
            Policy::immediate().on(Class::RateLimited, |timing| timing.base_delay(five)),
            "on.rate_limited.base_delay 5s has no effect with backoff_type immediate",
        ),
    ] {
        assert_eq!(refused(draft), message);
    }
}

/// P2: what has an effect is accepted.
#[test]
fn setting_with_effect_is_accepted_in_code() {
    let minutes = 120 * SECOND;
    for draft in [
        Policy::exponential(minutes).max_attempts(2),
        Policy::exponential(minutes).max_delay(2 * minutes),
        Policy::exponential(minutes).multiplier(1.0),
        Policy::linear(minutes).increment(Duration::ZERO),
        Policy::fixed(minutes),
        Draft::new().jitter_amount(0.5).jitter_type(Jitter::Full),
        Draft::new().enable_circuit_breaker(false).circuit_breaker_threshold(3),
        Policy::immediate().on(Class::RateLimited, |timing| {
            timing.backoff_type(BackoffType::Fixed).base_delay(minutes)
        }),
        Draft::new()
            .jitter_type(Jitter::Full)
            .on(Class::RateLimited, |timing| timing.jitter_amount(0.5)),
    ] {
        assert_eq!(draft.problems(), []);
    }
}

/// F1: a file may have settings without an effect: fields are inherited from its defaults.
#[test]
fn setting_without_effect_is_accepted_in_a_file() {
    for fields in [
        r#""backoff_type": "immediate", "base_delay": 5, "multiplier": 3"#,
        r#""base_delay": "2m""#,
        r#""jitter_amount": 0.5, "circuit_breaker_threshold": 3"#,
    ] {
        policy(fields);
    }
    assert_eq!(policy(r#""base_delay": "2m""#).timing().base_delay(3), 120 * SECOND);
}

/// P2, P6: a default policy, and the presets as drafts to change.
#[test]
fn default_and_presets_are_typed() {
    assert_eq!(Policy::default(), Draft::new().build().unwrap());
    let typed = [Policy::sql(), Policy::patient(), Policy::workflow(), Policy::grpc()];
    for (name, draft) in PRESETS.into_iter().zip(typed) {
        assert_eq!(draft.clone().id(name), Draft::preset(name).unwrap());
        assert_eq!(draft.max_attempts(2).build().unwrap().id(), None);
    }
}
