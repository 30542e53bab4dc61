//! S2's node configuration, as it is written there.

use std::time::Duration;

use example_workflows::storm::ORDER;
use steadfast_flow::Workflow;

/// S2's node, letter for letter.
const NODE: &str = r#"{
  "nodeId": "api-call-1",
  "type": "action",
  "subType": "api-call",
  "config": {
    "url": "https://api.example.com/users",
    "method": "POST",
    "retry": {
      "enabled": true,
      "strategy": "exponential_backoff",
      "maxAttempts": 5,
      "initialDelaySeconds": 60,
      "multiplier": 2.0,
      "maxDelaySeconds": 3600,
      "retryOn": ["5xx", "408", "429"],
      "ignoreExceptions": ["4xx"]
    }
  }
}"#;

/// W1, P6: the node means what S2 says: 60, 120, 240, 480 and 960 seconds.
#[test]
fn a_node_is_retried_as_s2_spells_it() {
    let text = format!(r#"{{"name": "users", "nodes": [{NODE}]}}"#);
    let workflow = Workflow::parse(&text).unwrap();
    let node = &workflow.nodes()[0];
    assert_eq!((node.id(), node.kind()), ("api-call-1", "http"));
    let plan = node.policy().plan();
    let delays: Vec<_> = plan.skip(1).map(|attempt| attempt.delay).collect();
    assert_eq!(delays, [60, 120, 240, 480, 960].map(Duration::from_secs));
}

/// W1: what is wrong with a workflow is told before anything runs, each with its place.
#[test]
fn a_workflow_that_makes_no_sense_is_refused() {
    let wrong = ORDER
        .replacen(r#""dependsOn": ["reserve"]"#, r#""dependsOn": ["reserv"]"#, 1)
        .replacen("maxAttempts", "maxAttemps", 1);
    let refused = Workflow::parse(&wrong).unwrap_err();
    let places: Vec<_> = refused.problems().iter().map(|problem| problem.path.as_str()).collect();
    assert_eq!(places, ["retry.maxAttemps", "nodes[1].dependsOn[0]"], "{refused}");
    assert!(refused.to_string().contains("did you mean \"reserve\"?"), "{refused}");
}
