use super::*;

/// S2's own example of a node.
const API_CALL: &str = r#"{
    "nodeId": "api-call-1", "type": "action", "subType": "api-call",
    "config": {
        "url": "https://api.example.com/users", "method": "POST",
        "retry": {
            "enabled": true, "strategy": "exponential_backoff", "maxAttempts": 5,
            "initialDelaySeconds": 60, "multiplier": 2.0, "maxDelaySeconds": 3600,
            "retryOn": ["5xx", "408", "429"], "ignoreExceptions": ["4xx"]
        }
    }
}"#;

fn parse(nodes: &[&str]) -> Result<Workflow, WorkflowError> {
    Workflow::parse(&format!(r#"{{"name": "w", "nodes": [{}]}}"#, nodes.join(",")))
}

fn problems(nodes: &[&str]) -> Vec<String> {
    parse(nodes).unwrap_err().problems().iter().map(ToString::to_string).collect()
}

fn node(id: &str, before: &str) -> String {
    format!(r#"{{"nodeId": "{id}", "type": "do", "dependsOn": [{before}]}}"#)
}

/// W1: a node in the format of S2, with its retry.
#[test]
fn node_in_the_format_of_s2_is_parsed() {
    let workflow = parse(&[API_CALL]).unwrap();
    let node = workflow.node("api-call-1").unwrap();
    assert_eq!(node.kind(), "http");
    let config = node.config().unwrap();
    assert_eq!(config["method"], "POST");
    assert!(config.get("retry").is_none(), "the retry is not part of the payload");
    let policy = node.retry().unwrap();
    assert_eq!(policy.max_attempts(), 6);
}

/// W1: a node without a handler would wait forever, so a typo of a built-in kind is rejected.
#[test]
fn typo_of_a_built_in_kind_is_reported() {
    let typo = r#"{"nodeId": "a", "type": "htpp"}"#;
    let sub = r#"{"nodeId": "b", "type": "action", "subType": "api_call"}"#;
    let bare = r#"{"nodeId": "c", "type": "action"}"#;
    assert_eq!(
        problems(&[typo, sub, bare]),
        [
            "nodes[0].type: unknown kind \"htpp\"; did you mean \"http\"?",
            "nodes[1].subType: unknown kind \"api_call\"; did you mean \"api-call\"?",
            "nodes[2].type: \"action\" requires a subType, such as \"http\"",
        ]
    );
}

/// W1: where the handlers are given, a node without one is reported, and any other kind is
/// accepted.
#[test]
fn node_without_a_handler_is_reported_if_handlers_are_given() {
    let text = r#"{"name": "w", "nodes": [
        {"nodeId": "a", "type": "https"}, {"nodeId": "b", "type": "action", "subType": "api-call"}
    ]}"#;
    let workflow = Workflow::parse_for(text, &["https", "http"]).unwrap();
    assert_eq!(workflow.handlers(), ["https"]);
    let error = Workflow::parse_for(text, &["https"]).unwrap_err().to_string();
    assert!(error.starts_with("nodes[1].subType: no handler for \"api-call\""), "{error}");
    assert!(Workflow::parse_stored(text).is_ok(), "it was checked when it was stored");
}

/// W1: all problems are reported at once, each with its path.
#[test]
fn unknown_dependency_is_reported_with_a_suggestion() {
    let problems = problems(&[&node("create", ""), &node("mail", r#""craete", "mail""#)]);
    assert_eq!(
        problems,
        [
            "nodes[1].dependsOn[0]: unknown node \"craete\"; did you mean \"create\"?",
            "nodes[1].dependsOn[1]: a node cannot depend on itself",
        ]
    );
}

/// W1: a problem of a retry does not hide problems of dependencies.
#[test]
fn problems_of_all_kinds_are_reported_at_once() {
    let wrong =
        r#"{"nodeId": "a", "type": "do", "retry": {"strategy": "immediate", "maxAttemps": 2}}"#;
    let [retry, dependency] = &problems(&[wrong, &node("b", r#""aa""#)])[..] else { panic!("two") };
    assert!(retry.starts_with("nodes[0].retry.maxAttemps: "), "{retry}");
    assert!(dependency.starts_with("nodes[1].dependsOn[0]: "), "{dependency}");
}

/// W1: a cycle is reported as its path.
#[test]
fn dependency_cycle_is_reported_as_a_path() {
    let problems = problems(&[
        &node("first", ""),
        &node("a", r#""c""#),
        &node("b", r#""a""#),
        &node("c", r#""first", "b""#),
    ]);
    assert_eq!(problems, ["nodes: dependency cycle: a -> c -> b -> a"]);
}

#[test]
fn duplicate_dependency_is_reported() {
    let problems = problems(&[&node("a", ""), &node("b", r#""a", "a""#)]);
    assert_eq!(problems, ["nodes[1].dependsOn[1]: \"a\" is listed twice"]);
}

/// K4: a dense workflow, in which each node depends on all later ones.
#[test]
fn dense_workflow_is_checked_in_linear_time() {
    let names: Vec<String> = (0..500).map(|number| format!("\"{number}\"")).collect();
    let waiting = |number: usize| node(&number.to_string(), &names[number + 1..].join(","));
    let nodes: Vec<String> = (0..500).map(waiting).collect();
    let nodes: Vec<&str> = nodes.iter().map(String::as_str).collect();
    assert_eq!(parse(&nodes).unwrap().dependencies(0).len(), 499);
}

/// K4: the number of reported problems is bounded.
#[test]
fn at_most_a_hundred_problems_are_reported() {
    let unknown = (0..1000).map(|number| format!("\"n{number}\"")).collect::<Vec<_>>().join(",");
    assert_eq!(problems(&[&node("a", &unknown)]).len(), 100);
    let nowhere = "${/nodes/unknown}".repeat(1000);
    let lost = format!(r#"{{"nodeId": "a", "type": "do", "config": {{"x": "{nowhere}"}}}}"#);
    assert_eq!(problems(&[&lost]).len(), 100);
}

/// W1: a problem does not hide those of other nodes.
#[test]
fn all_problems_are_reported_at_once() {
    let found = problems(&[
        r#"{"nodeId": "a", "type": "do", "tpye": "x", "dependsOn": ["b"]}"#,
        r#"{"nodeId": "b", "type": "do", "depend": [], "dependsOn": ["a", "nowhere"]}"#,
        r#"{"nodeId": "c", "type": "http", "config": {"method": "GET"}}"#,
    ]);
    let expected = [
        "nodes[0]: unknown field `tpye`; did you mean `type`?",
        "nodes[1]: unknown field `depend`; did you mean `dependsOn`?",
        "nodes[2].config: missing field `url`",
        "nodes[1].dependsOn[1]: unknown node \"nowhere\"",
        "nodes: dependency cycle: a -> b -> a",
    ];
    assert_eq!(found, expected);
}

/// W1: a node that cannot be read does not make its dependents wrong.
#[test]
fn unreadable_node_is_reported_alone() {
    let found = problems(&[
        r#"{"nodeId": "a", "type": 7}"#,
        r#"{"nodeId": "b", "type": "do", "dependsOn": ["a"]}"#,
    ]);
    assert_eq!(found, ["nodes[0].type: expected a string, not 7"]);
}

#[test]
fn duplicate_node_id_is_reported() {
    let problems = problems(&[&node("a", ""), &node("a", "")]);
    assert_eq!(problems, ["nodes[1].nodeId: duplicate id \"a\", already used by nodes[0]"]);
}

/// W1: a setting without an effect is an error.
#[test]
fn invalid_retry_is_reported_with_its_path() {
    let wrong = r#"{"nodeId": "a", "type": "do", "retry": {"strategy": "exponentail_backoff"}}"#;
    let [problem] = &problems(&[wrong])[..] else { panic!("one problem") };
    assert!(problem.starts_with("nodes[0].retry.strategy: "), "{problem}");
    assert!(problem.contains("exponential_backoff"), "{problem}");

    let lost =
        r#"{"nodeId": "a", "type": "do", "retry": {"strategy": "immediate", "multiplier": 3}}"#;
    let [problem] = &problems(&[lost])[..] else { panic!("one problem") };
    assert!(problem.starts_with("nodes[0].retry.multiplier: "), "{problem}");
}

#[test]
fn invalid_text_is_reported_with_its_path() {
    for (text, wanted) in [
        ("", "unexpected end of the text, a value is missing at line 1, column 1"),
        ("[]", "expected an object, not a list at line 1, column 1"),
        (r#"{"name":"#, "unexpected end of the text, a value is missing at line 1, column 8"),
        (
            r#"{"name": "w", "nodes": [["a", "do", null, null, [], null, null]]}"#,
            "nodes[0]: expected an object, not a list",
        ),
        (r#"{"name": "w", "nodes": []}"#, "nodes: must not be empty"),
        (r#"{"name": "", "nodes": [{"nodeId": "a", "type": "do"}]}"#, "name: must not be empty"),
        (r#"{"name": "w", "nodes": [{"nodeId": "a"}]}"#, "nodes[0]: missing field `type`"),
        (r#"{"name": "w", "nodes": [{"nodeId": "a", "type": "do", "x": 1}]}"#, "unknown field `x`"),
        (
            r#"{"name": "w", "nodes": [{"nodeId": "a", "type": "do"}]} x"#,
            "unexpected text after the end at line 1, column 57",
        ),
    ] {
        let problem = Workflow::parse(text).unwrap_err().to_string();
        assert!(problem.contains(wanted), "{text}: {problem}");
    }
}

/// P6: the schedule of 7 and 14 days.
#[test]
fn custom_schedule_delays_by_days() {
    let weeks = r#"{"nodeId": "a", "type": "do", "retry": {
        "enabled": true, "strategy": "custom", "maxAttempts": 2,
        "customSchedule": {"attempts": [
            {"attempt": 1, "delayDays": 7}, {"attempt": 2, "delayDays": 14}
        ]}
    }}"#;
    let workflow = parse(&[weeks]).unwrap();
    let policy = workflow.nodes()[0].retry().unwrap();
    let days = policy.plan().map(|attempt| attempt.delay.as_secs() / 86_400);
    assert_eq!(days.collect::<Vec<_>>(), [0, 7, 14]);
}

/// W4: nodes without a retry share one policy, so that a thousand of them are not a thousand
/// rows.
#[test]
fn nodes_without_a_retry_share_a_policy() {
    let workflow =
        parse(&[r#"{"nodeId": "a", "type": "do"}"#, r#"{"nodeId": "b", "type": "do"}"#]).unwrap();
    let [a, b] = workflow.nodes() else { panic!("two nodes") };
    assert!(Arc::ptr_eq(a.policy(), b.policy()));
}
