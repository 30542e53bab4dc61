//! The nodes of a workflow engine (seed S2).

use steadfast::policy::Draft;
use steadfast_import::ImportFormat::Workflow;

use super::{delays, policy, problems_of, read, read_fixture, rules, unsupported};

/// P6: S2's node waits 60, 120, 240, 480 and 960 s, as the preset `workflow` does: its attempts
/// are those that follow the first.
#[test]
fn node_of_s2_equals_the_preset_workflow() {
    let imported = read_fixture("node.json");
    assert_eq!(delays(&imported, "api-call-1"), [60_000, 120_000, 240_000, 480_000, 960_000]);
    let preset = Draft::preset("workflow").unwrap().build().unwrap();
    assert_eq!(policy(&imported, "api-call-1").timing(), preset.timing());
    assert_eq!(policy(&imported, "api-call-1").max_attempts(), preset.max_attempts());
}

/// J10, F5: what S2 retries and ignores are rules already.
#[test]
fn node_rules_are_imported() {
    let (retry_on, abort_on) = rules(&read_fixture("node.json"), "api-call-1");
    assert_eq!(
        (retry_on, abort_on),
        (vec!["5xx".into(), "408".into(), "429".into()], vec!["4xx".into()])
    );
}

/// P6, F5: the four strategies of S2's table, the 7-day and 14-day schedule among them.
#[test]
fn every_strategy_is_imported() {
    let imported = read_fixture("schedules.json");
    assert_eq!(delays(&imported, "node"), [0, 0, 0]);
    assert_eq!(delays(&imported, "node-2"), [60_000, 120_000, 240_000, 480_000, 960_000]);
    assert_eq!(delays(&imported, "node-3"), [300_000; 3]);
    assert_eq!(delays(&imported, "month-end"), [604_800_000, 1_209_600_000]);
}

/// F5: what a row or a node holds beside its settings is listed.
#[test]
fn unknown_setting_is_listed() {
    assert_eq!(
        unsupported(&read_fixture("node.json")),
        [
            "3:3: type: a node's action is not related to retries",
            "4:3: subType: a node's action is not related to retries",
            "6:5: config.url: a node's action is not related to retries",
            "7:5: config.method: a node's action is not related to retries",
        ]
    );
    assert_eq!(
        unsupported(&read_fixture("schedules.json")),
        [
            "21:5: [3].expires_at: a policy has no absolute time; set expires_at on the task",
            "22:5: [3].status: row state, not a setting",
        ]
    );
}

/// F5: a delay without a cap grows past a policy's usual minute.
#[test]
fn delay_without_a_cap_is_not_capped() {
    let text = r#"{"retry": {"strategy": "exponential_backoff", "maxAttempts": 9,
                   "initialDelaySeconds": 60, "delaySeconds": 5}}"#;
    let imported = read(Workflow, text);
    assert_eq!(delays(&imported, "node").last(), Some(&15_360_000));
    assert_eq!(
        unsupported(&imported),
        ["2:47: retry.delaySeconds: the strategy exponential_backoff ignores it"]
    );
}

/// F5: the place in the list counts, not the number.
#[test]
fn unordered_schedule_is_listed() {
    let text = r#"{"retry_strategy": "custom", "custom_schedule": {"attempts": [
        {"attempt": 2, "delay_days": 1}, {"delay_days": 2.5}]}}"#;
    let imported = read(Workflow, text);
    assert_eq!(delays(&imported, "node"), [86_400_000, 216_000_000, 216_000_000]);
    assert_eq!(
        unsupported(&imported),
        ["2:10: custom_schedule.attempts[0].attempt: must be 1: entries are numbered in \
             order"]
    );
}

/// F5: a workflow's nodes in one file, in either spelling.
#[test]
fn workflow_nodes_become_policies() {
    let text = r#"{"nodes": [
        {"nodeId": "a", "config": {"retry": {"strategy": "immediate", "enabled": false}}},
        {"nodeId": "b", "retryStrategy": "fixed_delay", "delaySeconds": 2, "maxAttempts": 1},
        {"nodeId": "c", "type": "action"}]}"#;
    let imported = read(Workflow, text);
    assert!(!policy(&imported, "a").is_enabled());
    assert_eq!(delays(&imported, "b"), [2000]);
    assert_eq!(imported.policies.len(), 2, "a node without settings has no policy");
}

/// F2, F5: all problems are reported at once.
#[test]
fn invalid_nodes_are_rejected() {
    let text = r#"[
{"retry_strategy": "exponental_backoff"},
{"retry_strategy": "fixed_delay", "max_attempts": "3"},
{"retry": {"strategy": "custom", "customSchedule": {"attempts": [{"delayDays": -1}]}}},
{"retry": {"strategy": "immediate", "retryOn": ["5yx"], "maxAttempts": 3, "max_attempts": 4}},
7]"#;
    assert_eq!(
        problems_of(Workflow, text),
        [
            "f:2:20: [0].retry_strategy: `exponental_backoff` is not one of immediate, \
             exponential_backoff, fixed_delay, custom; did you mean `exponential_backoff`?",
            "f:3:51: [1].max_attempts: expected a number, not `3`",
            "f:3:1: [1]: missing field `delay_seconds`; the strategy fixed_delay requires it",
            "f:4:80: [2].retry.customSchedule.attempts[0].delayDays: expected a number of days, not -1",
            "f:4:65: [2].retry.customSchedule.attempts: the list is empty",
            "f:5:49: [3].retry.retryOn[0]: `5yx` is not a rule; use a rule like 5xx, 408 or a \
             type name",
            "f:5:75: [3].retry.max_attempts: duplicate key in another spelling; remove one of \
             the two",
            "f:6:1: [4]: expected a map, not 7",
        ]
    );
}
