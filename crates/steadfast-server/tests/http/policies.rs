//! Policies and classification (section 10, J1).

use serde_json::json;
use steadfast::registry::Registry;

use crate::{FILE, Method, world, world_of};

/// F6: policies of the file, built-in ones, and mappings.
#[tokio::test]
async fn policies_are_listed_with_settings() {
    let world = world().await;
    let listed = world.get("/policies").await.good();
    let ids = |list: &str| -> Vec<String> {
        let policies = listed[list].as_array().unwrap().iter();
        policies.map(|policy| policy["id"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(ids("policies"), ["calls", "twice"]);
    assert!(ids("presets").contains(&"patient".to_owned()));
    assert_eq!(listed["policies"][0]["max_attempts"], 7);
    assert_eq!(listed["names"][0], json!({"name": "shop.checkout.default", "policy": "calls"}));
}

/// Section 10: the plan has delays in seconds, before and after jitter, and totals.
#[tokio::test]
async fn plan_lists_delay_of_each_attempt() {
    let world = world().await;
    let plan = world.get("/policies/sql/plan?attempts=2").await.good();
    assert_eq!(plan["policy"], "sql");
    let first = json!({"attempt": 1, "delay": 0.0, "min": 0.0, "max": 0.0, "total_min": 0.0, "total_max": 0.0});
    assert_eq!(plan["attempts"][0], first);
    assert_eq!(plan["attempts"][1]["delay"], 0.5);
    assert_eq!(plan["attempts"].as_array().unwrap().len(), 2);
    let mapped = world.get("/policies/shop.checkout.card/plan").await.good();
    assert_eq!(mapped["policy"], "calls");
}

/// K4: the error for an unknown policy suggests the nearest name.
#[tokio::test]
async fn plan_of_unknown_policy_suggests_nearest() {
    let world = world().await;
    let rejected = world.get("/policies/patiant/plan").await.problem(404);
    assert_eq!(rejected["next"], "did you mean `patient`?");
    assert_eq!(world.get("/policies/sql/plan?attempts=0").await.problem(400)["field"], "attempts");
}

/// J1: a program in any language sends facts and gets their classification.
#[tokio::test]
async fn failure_is_classified() {
    let world = world().await;
    let deadlock =
        world.post_json("/classify", json!({"fault": {"sqlstate": "40P01"}})).await.good();
    let expected = json!({
        "class": "retryable", "rule": "40", "matched_by": "default", "hint": null,
        "fault": {"sqlstate": "40P01"},
    });
    assert_eq!(deadlock, expected);
    let fault = json!({"http_status": 429, "hint": 120});
    let limited = world.post_json("/classify", json!({"fault": fault})).await.good();
    assert_eq!((&limited["class"], &limited["hint"]), (&json!("rate_limited"), &json!(120.0)));
    let own = json!({"fault": {"http_status": 404}, "policy": {"retry_on": ["404"]}});
    let retried = world.post_json("/classify", own).await.good();
    assert_eq!(
        (&retried["class"], &retried["matched_by"]),
        (&json!("retryable"), &json!("retry_on"))
    );
}

/// F4, O3: an invalid policy file is visible in the metrics until it is fixed.
#[tokio::test]
async fn invalid_policy_file_is_reported_as_metric() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("steadfast.yaml");
    std::fs::write(&file, FILE).unwrap();
    let registry = Registry::load(&file).unwrap();
    let world = world_of(|server| server.without_worker().policies(registry.clone())).await;
    let has_metric = async |line: &str| {
        let response = world.request(Method::GET, "/metrics").send().await.unwrap();
        response.text().await.unwrap().lines().any(|response| response == line)
    };
    assert!(has_metric("steadfast_policy_file_ok 1").await);
    std::fs::write(&file, FILE.replace("max_attempts: 7", "max_attempts: 0")).unwrap();
    registry.reload().unwrap_err();
    assert!(has_metric("steadfast_policy_file_ok 0").await);
    std::fs::write(&file, FILE).unwrap();
    registry.reload().unwrap();
    assert!(has_metric("steadfast_policy_file_ok 1").await);
}
