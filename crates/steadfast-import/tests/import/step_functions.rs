//! AWS Step Functions.

use std::time::Duration;

use steadfast::{Class, Fault, judge};
use steadfast_import::ImportFormat::StepFunctions;

use super::{bands, delays, policy, problems_of, read, read_fixture, rules, unsupported};

/// F5: the worked example of the States Language: waits of 3, 4.5 and 6.75 s, capped.
#[test]
fn intervals_grow_by_the_rate_up_to_the_maximum() {
    let text = r#"[{"ErrorEquals": ["States.Timeout"], "IntervalSeconds": 3, "MaxAttempts": 3,
                    "BackoffRate": 1.5}]"#;
    assert_eq!(delays(&read(StepFunctions, text), "retry"), [3000, 4500, 6750]);
    let imported = read_fixture("machine.json");
    assert_eq!(bands(&imported, "Charge"), [(0, 3000), (0, 4500), (0, 6000), (0, 6000)]);
}

/// F5: three retries, one second, doubling, no jitter: what is meant where nothing is written.
#[test]
fn retrier_has_the_defaults_of_the_language() {
    let imported = read(StepFunctions, r#"[{"ErrorEquals": ["States.ALL"]}]"#);
    assert_eq!(bands(&imported, "retry"), [(1000, 1000), (2000, 2000), (4000, 4000)]);
    assert_eq!(rules(&imported, "retry"), (vec!["any".into()], vec![]));
    assert_eq!(unsupported(&imported), Vec::<String>::new());
}

/// F5: waits of days are not cut at a policy's usual minute.
#[test]
fn interval_without_a_limit_is_not_capped() {
    let text = r#"[{"ErrorEquals": ["E"], "IntervalSeconds": 14400, "MaxAttempts": 5}]"#;
    assert_eq!(delays(&read(StepFunctions, text), "retry").last(), Some(&230_400_000));
}

/// F5, J10: errors become rules; those that are retried zero times are not retried.
#[test]
fn errors_are_classified_as_in_step_functions() {
    let imported = read_fixture("machine.json");
    let charge = policy(&imported, "Charge");
    let class = |fault: &Fault| judge::judge(charge.rules(), fault).class();
    let named = |name: &'static str| Fault::default().with_type(name);
    assert_eq!(class(&named("CardDeclined")), Class::Final);
    assert_eq!(class(&named("Lambda.ServiceException")), Class::Retryable);
    assert_eq!(class(&named("SomethingElse")), Class::Retryable);
    assert_eq!(charge.attempt_timeout(), Some(Duration::from_secs(30)));
}

/// F5: `States.TaskFailed` is every error but a timeout.
#[test]
fn task_failed_matches_everything_but_a_timeout() {
    assert_eq!(
        rules(&read_fixture("machine.json"), "Pack"),
        (vec!["any".into()], vec!["timeout".into()])
    );
}

/// F5: a machine inside a state is read, too, and everything else is listed.
#[test]
fn unsupported_settings_are_listed() {
    let nothing = "not related to retries";
    let pack = "States.Ship.ItemProcessor.States.Pack";
    assert_eq!(
        unsupported(&read_fixture("machine.json")),
        [
            format!("2:3: Comment: {nothing}"),
            format!("3:3: StartAt: {nothing}"),
            format!("6:7: States.Charge.Type: {nothing}"),
            format!("7:7: States.Charge.Resource: {nothing}"),
            format!("9:7: States.Charge.HeartbeatSeconds: {nothing}"),
            "23:9: States.Charge.Retry[2]: its own delays and retry count: a policy uses those \
             of the first retrier for all errors"
                .to_owned(),
            format!("25:7: States.Charge.Catch: {nothing}"),
            format!("26:7: States.Charge.Next: {nothing}"),
            format!("29:7: States.Ship.Type: {nothing}"),
            format!("31:9: States.Ship.ItemProcessor.StartAt: {nothing}"),
            format!("34:13: {pack}.Type: {nothing}"),
            format!("35:13: {pack}.Resource: {nothing}"),
            format!(
                "37:54: {pack}.Retry[0].IntervalSecond: unknown setting; did you mean \
                 `IntervalSeconds`?"
            ),
            format!(
                "38:15: {pack}.Retry[1]: its own retry count: a policy has one retry count for \
                 all errors"
            ),
            format!(
                "38:32: {pack}.Retry[1].ErrorEquals[0]: States.ItemReaderFailed: an error of the \
                 state machine itself"
            ),
            format!(
                "38:59: {pack}.Retry[1].ErrorEquals[1]: not a rule: not a valid rule; classify \
                 in code"
            ),
            format!("40:13: {pack}.End: {nothing}"),
            format!("44:7: States.Ship.End: {nothing}"),
            format!("46:16: States.Failed.Type: {nothing}"),
        ]
    );
}

/// F2, F5: all problems are reported at once.
#[test]
fn invalid_retriers_are_rejected() {
    let text = r#"[{"MaxAttempts": -1}, {"ErrorEquals": ["States.Al"], "BackoffRate": 0.5},
{"ErrorEquals": ["E"], "IntervalSeconds": 5, "MaxDelaySeconds": 2, "JitterStrategy": "HALF"}, 3]"#;
    assert_eq!(
        problems_of(StepFunctions, text),
        [
            r#"f:1:2: [0]: missing field `ErrorEquals`; name the errors, like ["States.ALL"]"#,
            "f:1:18: [0].MaxAttempts: expected a whole number from 0 to 4294967295, not -1",
            "f:1:69: [1].BackoffRate: must be at least 1, not 0.5",
            "f:2:86: [2].JitterStrategy: `HALF` is not one of FULL, NONE",
            "f:2:95: [3]: expected a map, not 3",
            "f:1:40: [1].ErrorEquals[0]: `States.Al` is not one of States.ALL, States.Timeout, \
             States.TaskFailed; did you mean `States.ALL`?",
        ]
    );
    assert_eq!(
        problems_of(StepFunctions, r#"{"ErrorEquals": ["States.ALL"]}"#),
        ["f:1:1: a single retrier; wrap it in a list: [ … ]"]
    );
}

/// F5, F6: of two states with one name the first is found by it, and that is said.
#[test]
fn name_resolves_to_one_policy() {
    let retry = r#"{"Retry": [{"ErrorEquals": ["States.ALL"]}]}"#;
    let text = format!(
        "{{\"States\": {{\"A\": {retry},\n\"B\": {{\"Branches\": [{{\"States\": {{\"A\": {retry}}}}}]}}}}}}"
    );
    let imported = read(StepFunctions, &text);
    assert_eq!(imported.policies.len(), 2);
    assert_eq!(imported.mappings.len(), 1);
    assert_eq!(
        unsupported(&imported),
        ["2:32: States.B.Branches[0].States.A: the name A: mapped to another policy already; \
             use this one's id, A-2"]
    );
}
