//! Parsing and validation of settings.

use super::*;

/// P1: settings mean the same in code and in a file.
#[cfg(feature = "serde")]
#[test]
fn settings_are_read_in_all_forms_and_written_in_one() {
    let read: BreakerSettings = serde_json::from_str(
        r#"{"failure_rate": 0.5, "window": "10s", "minimum_volume": 20, "timeout": 30,
            "slow_call_threshold": "PT2S", "slow_call_rate": 0.8, "probes": 3,
            "success_threshold": 2, "timeout_multiplier": 2, "max_timeout": "10m"}"#,
    )
    .unwrap();
    let built = BreakerSettings::rate_over_time(0.5, secs(10), secs(30))
        .minimum_volume(20)
        .slow_calls(secs(2), 0.8)
        .probes(3)
        .success_threshold(2)
        .growing(2.0, secs(600));
    assert_eq!(read, built);
    let written = serde_json::to_string(&built).unwrap();
    assert_eq!(serde_json::from_str::<BreakerSettings>(&written).unwrap(), built);
    let simple = BreakerSettings::consecutive(5, Duration::from_millis(1500));
    assert_eq!(
        serde_json::to_string(&simple).unwrap(),
        r#"{"threshold":5,"timeout":1.5,"probes":1,"success_threshold":1,"timeout_multiplier":1.0,"count_final":false}"#
    );
}

/// F2: errors name the field.
#[cfg(feature = "serde")]
#[test]
fn invalid_settings_name_the_field_or_the_form() {
    let error = |json| serde_json::from_str::<BreakerSettings>(json).unwrap_err().to_string();
    assert!(error(r#"{"treshold": 5}"#).contains("unknown field `treshold`"));
    assert!(error(r#"{"timeout": "soon"}"#).contains("`soon` is not a duration"));
    assert!(error(r#"{"timeout": -1}"#).contains("it is negative"));
    assert!(error(r#"{"window": true}"#).contains("a number of seconds"));
}

/// F2: all problems together, each with field, value and rule.
#[test]
fn settings_out_of_range_are_rejected() {
    let problems = |settings: BreakerSettings| {
        let problems = settings.problems();
        let problems: Vec<_> = problems.iter().map(ToString::to_string).collect();
        let first = Breaker::new(settings).err().map(|problem| problem.to_string());
        assert_eq!(first.as_ref(), problems.first());
        problems
    };
    assert_eq!(problems(BreakerSettings::default()), [""; 0]);
    let good = BreakerSettings::rate_over_calls(0.5, 10, TIMEOUT);
    assert_eq!(problems(good), [""; 0]);

    let mut wrong = good;
    wrong.threshold = Some(0);
    wrong.timeout = Duration::ZERO;
    wrong.failure_rate = Some(1.5);
    wrong.window = Some(Duration::ZERO);
    wrong.minimum_volume = Some(11);
    wrong.slow_call_rate = Some(0.5);
    wrong.probes = 0;
    wrong.success_threshold = 251;
    wrong.half_open_calls = Some(9);
    wrong.timeout_multiplier = f64::NAN;
    assert_eq!(
        problems(wrong),
        [
            "threshold must be at least 1, not 0",
            "timeout must be greater than 0s, not 0s",
            "failure_rate must be greater than 0 and at most 1, not 1.5",
            "window must be greater than 0s, not 0s",
            "set only one of window and window_calls",
            "minimum_volume 11 is above window_calls 10",
            "slow_call_rate 0.5 needs slow_call_threshold",
            "probes must be at least 1, not 0",
            "success_threshold must be at most 250, not 251",
            "half_open_calls 9 is below success_threshold 251",
            "timeout_multiplier must be finite and at least 1, not NaN",
        ]
    );
    let mut rate = good;
    rate.failure_rate = Some(f64::NAN);
    assert_eq!(problems(rate).len(), 1);
    rate.failure_rate = Some(0.0);
    assert_eq!(problems(rate).len(), 1);
    let mut windowless = good;
    windowless.failure_rate = None;
    assert_eq!(problems(windowless), ["window_calls 10 needs failure_rate or slow_call_rate"]);
    let mut half_slow = good;
    half_slow.slow_call_threshold = Some(secs(1));
    assert_eq!(problems(half_slow), ["slow_call_threshold 1s needs slow_call_rate"]);
    half_slow.slow_call_rate = Some(2.0);
    assert_eq!(problems(half_slow).len(), 1);
    assert_eq!(
        problems(BreakerSettings::consecutive(1, secs(2)).growing(2.0, secs(1))),
        ["max_timeout 1s is shorter than timeout 2s"]
    );
}
