//! Policies by name, what they will do, and what failures mean under them.

use steadfast::Fault;
use steadfast_api::{Api, ClassifyRequest, ErrorKind, Local, PlanQuery, PolicyChoice, from_json};
use steadfast_store::{Actor, Store};

use crate::world;

/// F6: the policies of the file come first, then those that are ready made and not replaced.
#[tokio::test]
async fn the_policies_are_those_of_the_file_and_the_ready_made() {
    let world = world().await;
    let known = world.api.policies().await.unwrap();
    let ids: Vec<_> = known.policies.iter().filter_map(|policy| policy.id()).collect();
    assert_eq!(ids, ["calls"]);
    assert_eq!(known.names[0].policy, "calls");
    assert!(known.ready_made.iter().any(|policy| policy.id() == Some("patient")));
}

/// Without a file the ready-made policies are there all the same.
#[tokio::test]
async fn without_a_file_there_are_the_ready_made_policies() {
    let store = Store::open("sqlite::memory:").await.unwrap();
    let api = Local::new(store, Actor::new("ada"));
    let known = api.policies().await.unwrap();
    assert!(known.policies.is_empty() && !known.ready_made.is_empty());
    assert_eq!(api.plan("sql", &PlanQuery::default()).await.unwrap().attempts.len(), 4);
}

/// Section 10: a plan is cut where it was asked to, and a name that is none is not found.
#[tokio::test]
async fn a_plan_is_that_of_the_policy_that_a_name_leads_to() {
    let world = world().await;
    let plan = world.api.plan("shop.checkout.card", &PlanQuery { attempts: 3 }).await.unwrap();
    assert_eq!((plan.policy.as_deref(), plan.attempts.len()), (Some("calls"), 3));
    assert_eq!(plan.attempts[2].total_min.as_secs(), 7200);
    let unknown = world.api.plan("cals", &PlanQuery::default()).await.unwrap_err();
    assert_eq!((unknown.kind, unknown.status), (ErrorKind::NotFound, 404));
    assert_eq!(unknown.next.as_deref(), Some("did you mean `calls`?"));
}

/// J1: facts are judged by the rules of the policy that is named.
#[tokio::test]
async fn a_failure_is_judged_by_the_rules_of_a_policy() {
    let world = world().await;
    let judge = |policy| world.api.classify(ClassifyRequest { fault: Fault::http(404), policy });
    assert_eq!(judge(None).await.unwrap().class.name(), "final");
    let own: PolicyChoice = from_json(r#"{"retry_on": ["404"]}"#, "a policy").unwrap();
    let judged = judge(Some(own)).await.unwrap();
    assert_eq!((judged.class.name(), judged.rule.as_deref()), ("retryable", Some("404")));
    let unknown = judge(Some(PolicyChoice::Named("cals".to_owned()))).await.unwrap_err();
    assert_eq!(unknown.field.as_deref(), Some("policy"));
}

/// K3: the same store asked by two people has both in its log.
#[tokio::test]
async fn a_store_can_be_asked_by_somebody_else() {
    let world = world().await;
    world.api.asked_by(Actor::new("grace")).pause("mail", true).await.unwrap();
    world.api.resume("mail").await.unwrap();
    let log = world.api.audit(&Default::default(), &Default::default()).await.unwrap();
    let actors: Vec<_> = log.items.iter().map(|entry| entry.by.actor.as_str()).collect();
    assert_eq!(actors, ["ada", "grace"]);
}
