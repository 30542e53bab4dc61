//! Parsing and validation of settings.

use super::*;

/// P1: settings mean the same in code and in a file.
#[cfg(feature = "serde")]
#[test]
fn kind_is_chosen_by_the_fields() {
    let read = |json: &str| serde_json::from_str::<BudgetSettings>(json).unwrap();
    assert_eq!(read(r#"{"retries_per_second": 10}"#), rate(10.0));
    assert_eq!(read(r#"{"ratio": 0.2}"#), ratio(0.2, 10.0, 10 * SECOND));
    assert_eq!(
        read(r#"{"ratio": 0.2, "min_per_second": 0, "window": "1m"}"#),
        ratio(0.2, 0.0, 60 * SECOND)
    );
    assert_eq!(read(r#"{"max_tokens": 100, "token_ratio": 0.1}"#), tokens(100, 0.1));
    for settings in [rate(2.5), ratio(0.2, 1.0, SECOND / 2), tokens(7, 0.125)] {
        assert_eq!(read(&serde_json::to_string(&settings).unwrap()), settings);
    }
    assert_eq!(
        serde_json::to_string(&ratio(0.2, 1.0, SECOND / 2)).unwrap(),
        r#"{"ratio":0.2,"min_per_second":1.0,"window":0.5}"#
    );
}

/// F2: errors name the field.
#[cfg(feature = "serde")]
#[test]
fn invalid_settings_name_the_field_or_the_kinds() {
    let error = |json| serde_json::from_str::<BudgetSettings>(json).unwrap_err().to_string();
    assert!(error(r#"{"ration": 0.2}"#).contains("unknown field `ration`"));
    assert!(error(r#"{"ratio": 0.2, "window": "soon"}"#).contains("`soon` is not a duration"));
    for mixed in [
        "{}",
        r#"{"retries_per_second": 1, "ratio": 1}"#,
        r#"{"retries_per_second": 1, "window": 1}"#,
        r#"{"max_tokens": 100}"#,
        r#"{"ratio": 1, "token_ratio": 1}"#,
    ] {
        assert!(error(mixed).contains("expected the fields of one kind of budget"), "{mixed}");
    }
}

/// F2: all problems together, each with field, value and rule.
#[test]
fn settings_out_of_range_are_rejected() {
    let problems = |settings: BudgetSettings| {
        let problems: Vec<_> = settings.problems().iter().map(ToString::to_string).collect();
        let first = Budget::new(settings).err().map(|problem| problem.to_string());
        assert_eq!(first.as_ref(), problems.first());
        problems
    };
    assert_eq!(problems(rate(10.0)), [""; 0]);
    assert_eq!(
        problems(rate(-1.0)),
        ["retries_per_second must be between 0.000001 and 1000000, not -1"]
    );
    assert_eq!(problems(rate(f64::NAN)).len(), 1);
    assert_eq!(problems(rate(f64::INFINITY)).len(), 1);
    assert_eq!(problems(ratio(0.2, 0.0, SECOND)), [""; 0]);
    assert_eq!(
        problems(ratio(0.0, -1.0, Duration::ZERO)),
        [
            "ratio must be between 0.000001 and 1000, not 0",
            "min_per_second must be between 0.000001 and 1000000, not -1",
            "window must be at least 1ms, not 0s",
        ]
    );
    assert_eq!(
        problems(tokens(0, f64::NAN)),
        [
            "max_tokens must be at least 1, not 0",
            "token_ratio must be between 0.001 and 1000, not NaN"
        ]
    );
    assert_eq!(problems(tokens(1001, 0.1)), ["max_tokens must be at most 1000, not 1001"]);
}
