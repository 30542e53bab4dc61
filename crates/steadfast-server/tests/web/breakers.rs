//! The page of breakers (H2, G1).

use std::time::Duration;

use steadfast::guard::BudgetSettings;
use steadfast::guard::breaker::BreakerState;
use steadfast_store::{BreakerCommand, BreakerReport, BudgetReport};

use crate::{HOSTILE, World, shows_without_harm, world};

pub(crate) async fn reported(world: &World, policy: &str, instance: &str) {
    let now = world.store.now().await.unwrap();
    let report = BreakerReport {
        policy: policy.to_owned(),
        instance: instance.to_owned(),
        seen_at: None,
        state: BreakerState::Open,
        failure_count: 5,
        threshold: Some(5),
        timeout: Duration::from_secs(60),
        last_failure_time: Some(now),
        last_state_change: Some(now),
        next_probe_at: Some(now + Duration::from_secs(48)),
    };
    world.store.report_breakers(&[report]).await.unwrap();
}

/// H2: without any, what they are for and how to have one.
#[tokio::test]
async fn without_breakers_it_says_what_they_are_for() {
    let html = world().await.get("/breakers").await.page(200);
    assert!(html.contains("stops calls to a service that fails"));
    assert!(html.contains("enable_circuit_breaker: true"));
}

/// G1: what somebody wanted is over when a breaker does otherwise by itself, and nobody is offered
/// what is so already.
#[tokio::test]
async fn an_order_is_told_until_a_breaker_does_otherwise() {
    let world = world().await;
    world.post("/breakers/payments/close", &[]).await.redirect();
    assert!(world.get("/breakers").await.page(200).contains("closed it"));
    reported(&world, "payments", "shop-1").await;
    let html = world.get("/breakers").await.page(200);
    assert!(html.contains("</svg>open</span>") && !html.contains("closed it"), "{html}");
    assert!(!html.contains("action=\"/breakers/payments/open\""), "{html}");
    assert!(html.contains("data-yes=\"Isolate payments\""), "{html}");
}

/// G1: how each instance stands, and when it probes.
#[tokio::test]
async fn each_instance_is_told() {
    let world = world().await;
    reported(&world, "payments", "shop-1").await;
    let html = world.get("/breakers").await.page(200);
    assert!(html.contains("shop-1") && html.contains("</svg>open</span>"), "{html}");
    assert!(html.contains("5<span class=\"muted\"> of 5</span>"), "{html}");
}

/// H2: a policy in force is linked; one that nothing here knows of has no page.
#[tokio::test]
async fn only_policies_in_force_are_linked() {
    let world = world().await;
    for policy in ["sql", "payments"] {
        reported(&world, policy, "shop-1").await;
        has_budget(&world, policy, "shop-1", 3).await;
    }
    let html = world.get("/breakers").await.page(200);
    assert_eq!(html.matches("href=\"/policies/sql\">sql</a>").count(), 2, "{html}");
    assert!(!html.contains("href=\"/policies/payments\""), "{html}");
}

/// G1: open, close and isolate are wanted of every instance, and said who wants it.
#[tokio::test]
async fn a_breaker_is_steered() {
    let world = world().await;
    reported(&world, "payments", "shop-1").await;
    for (what, wish, said) in [
        ("isolate", BreakerCommand::Isolate, "isolated it"),
        ("close", BreakerCommand::Close, "closed it"),
        ("open", BreakerCommand::Open, "opened it"),
    ] {
        let answered = world.post(&format!("/breakers/payments/{what}"), &[]).await;
        assert_eq!(answered.redirect(), "/breakers");
        assert_eq!(world.store.breaker_orders().await.unwrap()[0].wish, wish);
        let html = world.get("/breakers").await.page(200);
        assert!(html.contains(&format!("<strong>anonymous</strong> {said}")), "{html}");
    }
    let html = world.get("/breakers").await.page(200);
    assert!(html.contains("data-confirm=\"Isolate payments in every instance?"), "{html}");
}

/// K4: names are only names.
#[tokio::test]
async fn hostile_names_are_only_names() {
    let world = world().await;
    reported(&world, HOSTILE, HOSTILE).await;
    has_budget(&world, HOSTILE, HOSTILE, 1).await;
    shows_without_harm(&world.get("/breakers").await.page(200));
}

async fn has_budget(world: &World, policy: &str, instance: &str, balance: u64) {
    let report = BudgetReport {
        policy: policy.to_owned(),
        instance: instance.to_owned(),
        seen_at: None,
        balance,
        settings: BudgetSettings::Rate { retries_per_second: 7.0 },
    };
    world.store.report_budgets(&[report]).await.unwrap();
}

/// G3, H2: what the budgets of every instance have left, and of how much.
#[tokio::test]
async fn the_budgets_of_every_instance_are_told() {
    let world = world().await;
    has_budget(&world, "budgeted", "shop-1", 3).await;
    has_budget(&world, "budgeted", "shop-2", 0).await;
    let html = world.get("/breakers").await.page(200);
    assert!(html.contains("shop-1") && html.contains("shop-2"), "{html}");
    assert!(html.contains("7 retries a second"), "{html}");
    assert_eq!(html.matches("used up").count(), 1, "{html}");
}

/// H2: without any, what they are for and how to have one.
#[tokio::test]
async fn without_budgets_it_says_what_they_are_for() {
    let html = world().await.get("/breakers").await.page(200);
    assert!(html.contains("keeps retries to a share of the work"), "{html}");
    assert!(html.contains("retries_per_second: 10"), "{html}");
}
