//! F2: all problems are reported at once, with their positions.

use serde_json::json;
use steadfast::file::Policies;

use super::{messages, policy, wrong};

/// F2: six kinds of mistake in one file.
#[test]
fn all_problems_are_reported_together() {
    let text = r#"version: "9.0.0"
global_defaults:
  jiter: full
policies:
  a:
    max_attempts: 0
    base_delay: [1]
    base_delay: 2
  b:
    backoff_type: cubic
    on: {rate_limited: {max_attempts: 3}, sometimes: {}}
    breaker: {threshold: 0, treshold: 1}
subsystem_mappings:
  s: {o: {c: aa}}
"#;
    let reported: Vec<_> =
        wrong(text).iter().map(|problem| (problem.line.unwrap(), problem.path.clone())).collect();
    let mut sorted = reported.clone();
    sorted.sort();
    let expected = [
        (1, "version"),
        (3, "global_defaults.jiter"),
        (6, "policies.a.max_attempts"),
        (7, "policies.a.base_delay"),
        (8, "policies.a.base_delay"),
        (10, "policies.b.backoff_type"),
        (11, "policies.b.on.rate_limited.max_attempts"),
        (11, "policies.b.on.sometimes"),
        (12, "policies.b.breaker.threshold"),
        (12, "policies.b.breaker.treshold"),
        (14, "subsystem_mappings.s.o.c"),
    ];
    assert_eq!(sorted, expected.map(|(line, path)| (line, path.to_owned())));
}

/// F2: a problem is at the value or the key that causes it.
#[test]
fn problem_points_at_its_cause() {
    for (fields, expected) in [
        ("max_delay: [1]", "3:18: policies.p.max_delay: expected a duration, not a list"),
        (
            "on: {retryabel: {base_delay: 1s, max_delay: 2s}}",
            "3:12: policies.p.on.retryabel: `retryabel` is not one of ",
        ),
        (
            "brekaer: {threshold: 3, timeout: 1s}",
            "3:7: policies.p.brekaer: no such field; did you mean `breaker`?",
        ),
        ("max_attempts: {a: {b: 1}}", "3:29: policies.p.max_attempts.a.b: max_attempts has no "),
    ] {
        let [problem] = &messages(&policy(fields))[..] else {
            panic!("{:?}", messages(&policy(fields)));
        };
        assert!(problem.starts_with(&format!("steadfast.yaml:{expected}")), "{problem}");
    }
}

/// F2: a value that cannot be read causes one problem.
#[test]
fn consequence_of_an_invalid_value_is_not_reported() {
    for fields in [
        "backoff_type: custom, schedule: [1s, soon]",
        "base_delay: soon, max_delay: 10ms",
        "on: {retryable: {backoff_type: custom, schedule: [soon]}}",
    ] {
        let problems = messages(&policy(fields));
        assert!(problems.len() == 1 && problems[0].contains("`soon`"), "{problems:?}");
    }
}

/// F2: the machine-readable form.
#[test]
fn problem_serializes_to_json() {
    let problems = wrong("version: '1.1.0'\npolicies: {a: {max_atempts: 3}}\n");
    assert_eq!(
        serde_json::to_value(&problems).unwrap(),
        json!([{
            "file": "steadfast.yaml",
            "line": 2,
            "column": 16,
            "path": "policies.a.max_atempts",
            "message": "no such field",
            "suggestion": "did you mean `max_attempts`?",
        }])
    );
    assert_eq!(&problems[0].source().unwrap().text()[problems[0].span().unwrap()], "max_atempts");
}

/// F2: the position of a problem in a list is that of the item.
#[test]
fn problem_points_at_the_invalid_item() {
    assert_eq!(
        messages(&super::policy("schedule: [1s, soon, 3s, later]")).len(),
        2,
        "each item that is no duration"
    );
}

/// F2: a missing file, and a directory.
#[test]
fn unreadable_file_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let missing = Policies::read(folder.path().join("steadfast.yaml")).unwrap_err();
    assert!(missing.to_string().contains("no such file"), "{missing}");
    let directory = folder.path().join("dir.yaml");
    std::fs::create_dir(&directory).unwrap();
    let directory = Policies::read(directory).unwrap_err();
    assert!(directory.to_string().contains("is a directory"), "{directory}");
    let unknown = Policies::read(folder.path().join("steadfast.ini")).unwrap_err();
    assert!(unknown.to_string().contains(".yaml, .yml, .json or .toml"), "{unknown}");
}

/// F2, K4: the search for the nearest name is bounded, however many names there are.
#[test]
fn many_dangling_mappings_are_reported_quickly() {
    let numbers = 0..5000;
    let policies: Vec<_> = numbers.clone().map(|n| format!("policy_number_{n}: {{}}")).collect();
    let cases: Vec<_> = numbers.map(|n| format!("c{n}: polixy_nummer_{n}")).collect();
    let text = format!(
        "version: '1.1.0'\npolicies: {{{}}}\nsubsystem_mappings: {{s: {{o: {{{}}}}}}}\n",
        policies.join(", "),
        cases.join(", ")
    );
    let began = std::time::Instant::now();
    let found = messages(&text);
    assert!(began.elapsed() < std::time::Duration::from_secs(30), "{:?}", began.elapsed());
    assert_eq!(found.len(), 1001);
    assert!(found[0].ends_with("did you mean `policy_number_0`?"), "{}", found[0]);
}

/// K4: values and field names are printed without control characters, and shortened.
#[test]
fn file_text_is_escaped_in_problems() {
    let long = "x".repeat(1_000_000);
    let fields =
        format!(r#"retry_on: ["x \e[31m"], "b\e[2J": 1, base_delay: {long}, {long:.900}: 1"#);
    let found = messages(&policy(&fields));
    assert_eq!(found.len(), 4);
    for problem in found {
        assert!(!problem.contains(char::is_control) && problem.len() < 3000, "{problem:.300}");
    }
}
