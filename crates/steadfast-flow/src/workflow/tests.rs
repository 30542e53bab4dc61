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

fn of(nodes: &[&str]) -> Result<Workflow, WorkflowError> {
    Workflow::parse(&format!(r#"{{"name": "w", "nodes": [{}]}}"#, nodes.join(",")))
}

fn told(nodes: &[&str]) -> Vec<String> {
    of(nodes).unwrap_err().problems().iter().map(ToString::to_string).collect()
}

fn node(id: &str, before: &str) -> String {
    format!(r#"{{"nodeId": "{id}", "type": "do", "dependsOn": [{before}]}}"#)
}

/// W1: a node as S2 writes it: what it does, and how it is retried.
#[test]
fn a_node_is_read_as_s2_writes_it() {
    let workflow = of(&[API_CALL]).unwrap();
    let node = workflow.node("api-call-1").unwrap();
    assert_eq!(node.kind(), "http");
    let config = node.config().unwrap();
    assert_eq!(config["method"], "POST");
    assert!(config.get("retry").is_none(), "the retry is no part of the call");
    let policy = node.retry().unwrap();
    assert_eq!(policy.max_attempts(), 6);
}

/// W1: a step that nobody does would wait for ever, so what is no handler's name is not taken.
#[test]
fn a_slip_in_what_is_built_in_is_told() {
    let slip = r#"{"nodeId": "a", "type": "htpp"}"#;
    let sub = r#"{"nodeId": "b", "type": "action", "subType": "api_call"}"#;
    let bare = r#"{"nodeId": "c", "type": "action"}"#;
    assert_eq!(
        told(&[slip, sub, bare]),
        [
            "nodes[0].type: there is no \"htpp\"; did you mean \"http\"?",
            "nodes[1].subType: there is no \"api_call\"; did you mean \"api-call\"?",
            "nodes[2].type: is no step by itself: say in its subType what it does, such as \"http\"",
        ]
    );
}

/// W1: where it is known who handles what, a node that nobody handles is told, and one that
/// somebody does is taken, whatever it is like.
#[test]
fn a_node_that_nobody_handles_is_told_where_that_is_known() {
    let text = r#"{"name": "w", "nodes": [
        {"nodeId": "a", "type": "https"}, {"nodeId": "b", "type": "action", "subType": "api-call"}
    ]}"#;
    let workflow = Workflow::parse_for(text, &["https", "http"]).unwrap();
    assert_eq!(workflow.handlers(), ["https"]);
    let told = Workflow::parse_for(text, &["https"]).unwrap_err().to_string();
    assert!(told.starts_with("nodes[1].subType: nobody handles \"api-call\""), "{told}");
    assert!(Workflow::of_kept(text).is_ok(), "it was taken when it was kept");
}

/// W1: everything that is wrong is told at once, with its place.
#[test]
fn a_dependency_that_is_not_there_is_told_with_the_one_that_was_meant() {
    let problems = told(&[&node("create", ""), &node("mail", r#""craete", "mail""#)]);
    assert_eq!(
        problems,
        [
            "nodes[1].dependsOn[0]: there is no node \"craete\"; did you mean \"create\"?",
            "nodes[1].dependsOn[1]: a node cannot wait for itself",
        ]
    );
}

/// W1: what is wrong with a retry does not hide what is wrong between nodes.
#[test]
fn problems_of_every_sort_are_told_at_once() {
    let wrong =
        r#"{"nodeId": "a", "type": "do", "retry": {"strategy": "immediate", "maxAttemps": 2}}"#;
    let [retry, dependency] = &told(&[wrong, &node("b", r#""aa""#)])[..] else { panic!("two") };
    assert!(retry.starts_with("nodes[0].retry.maxAttemps: "), "{retry}");
    assert!(dependency.starts_with("nodes[1].dependsOn[0]: "), "{dependency}");
}

/// W1: a cycle is shown as the way round.
#[test]
fn a_cycle_is_told_as_the_way_round() {
    let problems = told(&[
        &node("first", ""),
        &node("a", r#""c""#),
        &node("b", r#""a""#),
        &node("c", r#""first", "b""#),
    ]);
    assert_eq!(problems, ["nodes: a waits for c waits for b waits for a: none of them can begin"]);
}

#[test]
fn a_node_that_is_waited_for_twice_is_told() {
    let problems = told(&[&node("a", ""), &node("b", r#""a", "a""#)]);
    assert_eq!(problems, ["nodes[1].dependsOn[1]: \"a\" is named before; once will do"]);
}

/// K4: a workflow as large as there may be, each node waiting for all that are written after it.
#[test]
fn a_dense_workflow_is_checked_in_one_go() {
    let names: Vec<String> = (0..500).map(|number| format!("\"{number}\"")).collect();
    let waiting = |number: usize| node(&number.to_string(), &names[number + 1..].join(","));
    let nodes: Vec<String> = (0..500).map(waiting).collect();
    let nodes: Vec<&str> = nodes.iter().map(String::as_str).collect();
    assert_eq!(of(&nodes).unwrap().before(0).len(), 499);
}

/// K4: whoever sends nonsense does not choose how long the answer is.
#[test]
fn a_hundred_problems_are_told_at_once() {
    let nobody = (0..1000).map(|number| format!("\"n{number}\"")).collect::<Vec<_>>().join(",");
    assert_eq!(told(&[&node("a", &nobody)]).len(), 100);
    let nowhere = "${/nodes/nobody}".repeat(1000);
    let lost = format!(r#"{{"nodeId": "a", "type": "do", "config": {{"x": "{nowhere}"}}}}"#);
    assert_eq!(told(&[&lost]).len(), 100);
}

#[test]
fn two_nodes_of_one_name_are_told() {
    let problems = told(&[&node("a", ""), &node("a", "")]);
    assert_eq!(problems, ["nodes[1].nodeId: nodes[0] is called \"a\" as well"]);
}

/// W1: a setting that would do nothing is an error, not a silence.
#[test]
fn a_retry_that_cannot_be_meant_is_told_with_its_place() {
    let wrong = r#"{"nodeId": "a", "type": "do", "retry": {"strategy": "exponentail_backoff"}}"#;
    let [problem] = &told(&[wrong])[..] else { panic!("one problem") };
    assert!(problem.starts_with("nodes[0].retry.strategy: "), "{problem}");
    assert!(problem.contains("exponential_backoff"), "{problem}");

    let lost =
        r#"{"nodeId": "a", "type": "do", "retry": {"strategy": "immediate", "multiplier": 3}}"#;
    let [problem] = &told(&[lost])[..] else { panic!("one problem") };
    assert!(problem.starts_with("nodes[0].retry.multiplier: "), "{problem}");
}

#[test]
fn bad_texts_are_refused_with_their_place() {
    for (text, wanted) in [
        ("", "EOF while parsing"),
        ("[]", "invalid"),
        (r#"{"name": "w", "nodes": [["a", "do", null, null, [], null, null]]}"#, "invalid type"),
        (r#"{"name": "w", "nodes": []}"#, "nodes: is empty"),
        (r#"{"name": "", "nodes": [{"nodeId": "a", "type": "do"}]}"#, "name: must not be empty"),
        (r#"{"name": "w", "nodes": [{"nodeId": "a"}]}"#, "nodes[0]: missing field `type`"),
        (r#"{"name": "w", "nodes": [{"nodeId": "a", "type": "do", "x": 1}]}"#, "unknown field `x`"),
        (r#"{"name": "w", "nodes": [{"nodeId": "a", "type": "do"}]} x"#, "trailing characters"),
    ] {
        let problem = Workflow::parse(text).unwrap_err().to_string();
        assert!(problem.contains(wanted), "{text}: {problem}");
    }
}

/// P6: the schedule of 7 and 14 days.
#[test]
fn a_custom_schedule_waits_for_days() {
    let weeks = r#"{"nodeId": "a", "type": "do", "retry": {
        "enabled": true, "strategy": "custom", "maxAttempts": 2,
        "customSchedule": {"attempts": [
            {"attempt": 1, "delayDays": 7}, {"attempt": 2, "delayDays": 14}
        ]}
    }}"#;
    let workflow = of(&[weeks]).unwrap();
    let policy = workflow.nodes()[0].retry().unwrap();
    let days = policy.plan().map(|attempt| attempt.delay.as_secs() / 86_400);
    assert_eq!(days.collect::<Vec<_>>(), [0, 7, 14]);
}

/// W4: nodes that are tried once share one policy, so that a thousand of them are not a thousand
/// rows.
#[test]
fn nodes_that_are_tried_once_share_a_policy() {
    let workflow =
        of(&[r#"{"nodeId": "a", "type": "do"}"#, r#"{"nodeId": "b", "type": "do"}"#]).unwrap();
    let [a, b] = workflow.nodes() else { panic!("two nodes") };
    assert!(Arc::ptr_eq(a.policy(), b.policy()));
}
