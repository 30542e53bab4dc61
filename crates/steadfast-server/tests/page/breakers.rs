//! The page of breakers (H2, G1).

use std::time::Duration;

use steadfast::Policy;
use steadfast::drive::{Environment, Instrument, Real};
use steadfast::guard::breaker::BreakerState;
use steadfast::guard::{self, BudgetSettings};
use steadfast_store::{BreakerReport, BreakerWish};

use crate::{HOSTILE, World, shows_without_harm, world};

async fn reported(world: &World, policy: &str, instance: &str) {
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

/// G1: how each instance stands, and when it probes.
#[tokio::test]
async fn each_instance_is_told() {
    let world = world().await;
    reported(&world, "payments", "shop-1").await;
    let html = world.get("/breakers").await.page(200);
    assert!(html.contains("href=\"/policies/payments\">payments</a>"), "{html}");
    assert!(html.contains("shop-1") && html.contains("</svg>open</span>"), "{html}");
    assert!(html.contains("5<span class=\"muted\"> of 5</span>"), "{html}");
}

/// G1: open, close and isolate are wanted of every instance, and said who wants it.
#[tokio::test]
async fn a_breaker_is_steered() {
    let world = world().await;
    reported(&world, "payments", "shop-1").await;
    for (what, wish, said) in [
        ("isolate", BreakerWish::Isolate, "isolated it"),
        ("close", BreakerWish::Close, "closed it"),
        ("open", BreakerWish::Open, "opened it"),
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
    shows_without_harm(&world.get("/breakers").await.page(200));
}

/// G3, H2: what the budgets of this instance allow.
#[tokio::test]
async fn the_budgets_of_this_instance_are_told() {
    let rate = BudgetSettings::Rate { retries_per_second: 7.0 };
    let policy = Policy::immediate().id("budgeted").budget(rate).build().unwrap();
    guard::of(&policy).before_attempt(|| Real.now()).unwrap();
    let html = world().await.get("/breakers").await.page(200);
    assert!(html.contains("Budgets of this instance"), "{html}");
    assert!(html.contains("href=\"/policies/budgeted\">budgeted</a>"), "{html}");
}
