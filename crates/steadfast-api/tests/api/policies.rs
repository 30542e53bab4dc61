//! Policies: list, plan and classification.

use steadfast::Fault;
use steadfast_api::{Api, ClassifyRequest, ErrorKind, Local, PlanQuery, PolicyChoice, from_json};
use steadfast_store::{Actor, Store};

use crate::world;

/// F6: the policies of the file are listed, and the built-in ones that it does not replace.
#[tokio::test]
async fn policies_are_those_of_the_file_and_built_in_ones() {
    let world = world().await;
    let known = world.api.policies().await.unwrap();
    let ids: Vec<_> = known.policies.iter().filter_map(|policy| policy.id()).collect();
    assert_eq!(ids, ["calls"]);
    assert_eq!(known.names[0].policy, "calls");
    assert!(known.presets.iter().any(|policy| policy.id() == Some("patient")));
}

/// Without a policy file the built-in policies are listed.
#[tokio::test]
async fn policies_without_a_file_are_built_in() {
    let store = Store::open("sqlite::memory:").await.unwrap();
    let api = Local::new(store, Actor::new("ada"));
    let known = api.policies().await.unwrap();
    assert!(known.policies.is_empty() && !known.presets.is_empty());
    assert_eq!(api.plan("sql", &PlanQuery::default()).await.unwrap().attempts.len(), 4);
}

/// Section 10: a plan has the requested length, and an unknown name is not found.
#[tokio::test]
async fn plan_resolves_policy_by_name() {
    let world = world().await;
    let plan = world.api.plan("shop.checkout.card", &PlanQuery { attempts: 3 }).await.unwrap();
    assert_eq!((plan.policy.as_deref(), plan.attempts.len()), (Some("calls"), 3));
    assert_eq!(plan.attempts[2].total_min.as_secs(), 7200);
    let unknown = world.api.plan("cals", &PlanQuery::default()).await.unwrap_err();
    assert_eq!((unknown.kind, unknown.status), (ErrorKind::NotFound, 404));
    assert_eq!(unknown.next.as_deref(), Some("did you mean `calls`?"));
}

/// J1: a fault is classified by the rules of the policy in the request.
#[tokio::test]
async fn fault_is_classified_by_rules_of_policy() {
    let world = world().await;
    let classify = |policy| world.api.classify(ClassifyRequest { fault: Fault::http(404), policy });
    assert_eq!(classify(None).await.unwrap().class.name(), "final");
    let inline: PolicyChoice = from_json(r#"{"retry_on": ["404"]}"#, "a policy").unwrap();
    let classified = classify(Some(inline)).await.unwrap();
    assert_eq!((classified.class.name(), classified.rule.as_deref()), ("retryable", Some("404")));
    let unknown = classify(Some(PolicyChoice::Named("cals".to_owned()))).await.unwrap_err();
    assert_eq!(unknown.field.as_deref(), Some("policy"));
}

/// K3: two actors of the same store are both in the audit log.
#[tokio::test]
async fn audit_log_names_each_actor() {
    let world = world().await;
    world.api.for_actor(Actor::new("grace")).pause("mail", true).await.unwrap();
    world.api.resume("mail").await.unwrap();
    let log = world.api.audit(&Default::default(), &Default::default()).await.unwrap();
    let actors: Vec<_> = log.items.iter().map(|entry| entry.actor.name.as_str()).collect();
    assert_eq!(actors, ["ada", "grace"]);
}
