//! Section 2 of the specification: policies, their defaults and their validation.
//! Delays are tested in `decide.rs`.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::time::Duration;

use steadfast::guard::{BreakerSettings, BudgetSettings};
use steadfast::policy::{Draft, FIELDS, Nested, PRESETS, PolicyError, Setting};
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
    assert_eq!(written["max_rate_limit_waits"], 100);
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

/// P2: a serialized policy needs only an id.
#[test]
fn policy_json_needs_only_an_id() {
    let error = Policy::try_from(Draft::new()).unwrap_err();
    assert_eq!(error.to_string(), "id: missing; a policy needs an id");
    assert!(Policy::try_from(Draft::new().id("")).is_err());
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
    assert!(plain.is_idempotent());
    assert_eq!(plain.max_hint(), None);
    assert_eq!(plain.max_rate_limit_waits(), 100);
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
    assert_refused(r#""max_attempts": 0"#, "max_attempts", "max_attempts 0 is below 1");
    for (written, shown) in
        [("4294967296", "4294967296"), ("-1", "-1"), ("1.5", "1.5"), (r#""NaN""#, "`NaN`")]
    {
        assert_refused(
            &format!(r#""max_attempts": {written}"#),
            "max_attempts",
            &format!("max_attempts: {shown} is not a whole number from 0 to 4294967295"),
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
        "max_attempts 4 conflicts with max_retries 3",
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
    assert_refused(r#""base_delay": true"#, "base_delay", "base_delay: true is not a duration");
}

/// P2: `multiplier` is at least 1, and finite.
#[test]
fn multiplier_is_finite_and_at_least_one() {
    assert_eq!(delays(&policy(r#""multiplier": 1"#)), [SECOND; 2]);
    assert_eq!(delays(&policy(r#""multiplier": 1e308"#)), [SECOND, 60 * SECOND]);
    for (written, message) in [
        ("0.999", "multiplier 0.999 is below 1"),
        ("-2", "multiplier -2 is below 1"),
        (r#""NaN""#, "multiplier: `NaN` is not a number"),
        (r#""inf""#, "multiplier: `inf` is not a number"),
        (r#""twice""#, "multiplier: `twice` is not a number"),
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
    for fields in [r#""schedule": []"#, r#""backoff_type": "custom""#] {
        assert_refused(fields, "schedule", "schedule [] needs at least one delay");
    }
    assert_refused(
        r#""backoff_type": "fixed", "schedule": [1, 2]"#,
        "schedule",
        "schedule 2 delays are used only with backoff_type custom",
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
    assert_eq!(band(r#""jitter": "100ms""#), (SECOND, 1100 * MS));
    assert_eq!(band(r#""jitter": 0.1"#), (SECOND, 1100 * MS));
    assert_eq!(band(r#""jitter_type": "full""#), (900 * MS, SECOND));
    assert_eq!(band(r#""jitter_type": "full", "jitter_amount": 0.5"#), (500 * MS, SECOND));
    assert_eq!(band(r#""jitter_amount": 0.5"#), (SECOND, SECOND));
    assert_refused(
        r#""jitter": "full", "jitter_type": "equal""#,
        "jitter",
        "jitter full conflicts with jitter_type equal",
    );
    assert_refused(
        r#""jitter": "lots""#,
        "jitter",
        "jitter: `lots` is not a jitter; use none, full, equal, decorrelated or a duration such as 100ms",
    );
    assert_refused(
        r#""jitter_type": "100ms""#,
        "jitter_type",
        "jitter_type: `100ms` is not one of none, full, equal, decorrelated",
    );
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
        assert!(error.message().ends_with("is outside 0.0..=1.0"), "{error}");
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
        "circuit_breaker_threshold 0 is below 1",
    );
    assert_refused(
        r#""enable_circuit_breaker": true, "circuit_breaker_timeout": 0"#,
        "circuit_breaker_timeout",
        "circuit_breaker_timeout 0s must be longer than 0s",
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
            "durable.max_attempts 0 is below 1",
        ),
        (r#""breaker": {"threshold": 0}"#, "breaker.threshold", "breaker.threshold 0 is below 1"),
        (
            r#""budget": {"ratio": -2}"#,
            "budget.ratio",
            "budget.ratio -2 is outside 0.000001..=1000",
        ),
        (
            r#""on": {"rate_limited": {"multiplier": "twice"}}"#,
            "on.rate_limited.multiplier",
            "on.rate_limited.multiplier: `twice` is not a number",
        ),
        (
            r#""on": {"rate_limited": {"max_attempts": 3}}"#,
            "on.rate_limited.max_attempts",
            "on.rate_limited.max_attempts: no such field",
        ),
        (
            r#""on": {"rate_limited": 5}"#,
            "on.rate_limited",
            "on.rate_limited: 5 is not a map of fields",
        ),
        (
            r#""on": {"sometimes": {}}"#,
            "on.sometimes",
            "on.sometimes: `sometimes` is not one of final, retryable, rate_limited, unknown_outcome",
        ),
        (
            r#""durable": {"max_attemps": 3}"#,
            "durable.max_attemps",
            "durable.max_attemps: no such field; did you mean max_attempts?",
        ),
        (r#""durable": 5"#, "durable", "durable: 5 is not a map of fields"),
        (
            r#""durable": {"on": {"retryable": {"jitter_amount": 2}}}"#,
            "durable.on.retryable.jitter_amount",
            "durable.on.retryable.jitter_amount 2 is outside 0.0..=1.0",
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
        "max_attemps: no such field; did you mean max_attempts?",
    );
    assert_refused(r#""colour": 3"#, "colour", "colour: no such field");
    assert_refused(
        r#""backoff_type": "cubic""#,
        "backoff_type",
        "backoff_type: `cubic` is not one of exponential, linear, fixed, immediate, custom",
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
    assert_eq!(draft, Draft::new());
}

/// P1: a quoted value is a string; an unquoted one has the type of the field.
#[test]
fn only_unquoted_text_is_a_number() {
    let mut draft = Draft::new();
    draft.set("max_attempts", &"4".into()).unwrap();
    draft.set("enabled", &"False".into()).unwrap();
    let quoted = draft.set("max_attempts", &Setting::Text("4".to_owned())).unwrap_err();
    assert_eq!(quoted.suggestion(), Some("4 without quotes"));
    let old = draft.set("enabled", &"yes".into()).unwrap_err();
    assert_eq!(old.message(), "`yes` is neither true nor false");
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
        ("brakers.x", "brakers.x: no such field; did you mean breaker?"),
        ("breaker.treshold", "breaker.treshold: no such field; did you mean threshold?"),
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
        .jitter_amount(7.0)
        .enable_circuit_breaker(true)
        .circuit_breaker_timeout(Duration::ZERO)
        .retry_on(["5yx"]);
    let messages: Vec<_> = draft.problems().iter().map(ToString::to_string).collect();
    assert_eq!(
        messages,
        [
            "max_attempts 0 is below 1",
            "circuit_breaker_timeout 0s must be longer than 0s",
            "multiplier NaN is not a finite number",
            "jitter_amount 7 is outside 0.0..=1.0",
            "`5yx` is not a rule; rules are like 5xx, 503, 08, 40P01, timeout, connection, \
             io:connection_reset, tls, grpc:UNAVAILABLE, exit:75, a type's name, or any",
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
