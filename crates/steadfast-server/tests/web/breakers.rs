//! The breakers page (H2, G1).

use std::time::Duration;

use steadfast::guard::BudgetSettings;
use steadfast::guard::breaker::BreakerState;
use steadfast_store::{BreakerCommand, BreakerReport, BudgetReport};

use crate::{HOSTILE, TestApp, app, assert_escaped};

pub(crate) async fn report_breaker(app: &TestApp, policy: &str, instance: &str) {
    let now = app.store.now().await.unwrap();
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
    app.store.report_breakers(&[report]).await.unwrap();
}

/// H2: the empty state explains breakers and how to enable one.
#[tokio::test]
async fn no_breakers_shows_an_explanation() {
    let html = app().await.get("/breakers").await.page(200);
    assert!(html.contains("stops calls to a failing service"));
    assert!(html.contains("enable_circuit_breaker: true"));
}

/// G1: an override is shown until a breaker changes state by itself, and only actions that change
/// something are offered.
#[tokio::test]
async fn override_is_shown_until_the_state_changes() {
    let app = app().await;
    app.post("/breakers/payments/close", &[]).await.redirect();
    assert!(app.get("/breakers").await.page(200).contains("closed the breaker"));
    report_breaker(&app, "payments", "shop-1").await;
    let html = app.get("/breakers").await.page(200);
    assert!(html.contains("</svg>open</span>") && !html.contains("closed the breaker"), "{html}");
    assert!(!html.contains("action=\"/breakers/payments/open\""), "{html}");
    assert!(html.contains("data-yes=\"Hold open\""), "{html}");
}

/// G1: the state and failures of each instance.
#[tokio::test]
async fn each_instance_is_listed() {
    let app = app().await;
    report_breaker(&app, "payments", "shop-1").await;
    let html = app.get("/breakers").await.page(200);
    assert!(html.contains("shop-1") && html.contains("</svg>open</span>"), "{html}");
    assert!(html.contains("5<span class=\"muted\"> of 5</span>"), "{html}");
}

/// H2: only active policies have a page.
#[tokio::test]
async fn only_active_policies_are_linked() {
    let app = app().await;
    for policy in ["sql", "payments"] {
        report_breaker(&app, policy, "shop-1").await;
        report_budget(&app, policy, "shop-1", 3).await;
    }
    let html = app.get("/breakers").await.page(200);
    assert_eq!(html.matches("href=\"/policies/sql\">sql</a>").count(), 2, "{html}");
    assert!(!html.contains("href=\"/policies/payments\""), "{html}");
}

/// G1: open, close and isolate are recorded and shown with their actor.
#[tokio::test]
async fn breaker_commands_are_recorded_and_shown() {
    let app = app().await;
    report_breaker(&app, "payments", "shop-1").await;
    for (action, command, text) in [
        ("isolate", BreakerCommand::Isolate, "set the breaker to stay open"),
        ("close", BreakerCommand::Close, "closed the breaker"),
        ("open", BreakerCommand::Open, "opened the breaker"),
    ] {
        let response = app.post(&format!("/breakers/payments/{action}"), &[]).await;
        assert_eq!(response.redirect(), "/breakers");
        assert_eq!(app.store.breaker_overrides().await.unwrap()[0].command, command);
        let html = app.get("/breakers").await.page(200);
        assert!(html.contains(&format!("<strong>anonymous</strong> {text}")), "{html}");
    }
    let html = app.get("/breakers").await.page(200);
    assert!(
        html.contains("data-confirm=\"Hold open the breaker for policy payments on all instances?"),
        "{html}"
    );
}

/// K4: names are escaped.
#[tokio::test]
async fn hostile_names_are_escaped() {
    let app = app().await;
    report_breaker(&app, HOSTILE, HOSTILE).await;
    report_budget(&app, HOSTILE, HOSTILE, 1).await;
    assert_escaped(&app.get("/breakers").await.page(200));
}

async fn report_budget(app: &TestApp, policy: &str, instance: &str, balance: u64) {
    let report = BudgetReport {
        policy: policy.to_owned(),
        instance: instance.to_owned(),
        seen_at: None,
        balance,
        settings: BudgetSettings::Rate { retries_per_second: 7.0 },
    };
    app.store.report_budgets(&[report]).await.unwrap();
}

/// G3, H2: the available retries and the limit of every instance.
#[tokio::test]
async fn budgets_of_every_instance_are_listed() {
    let app = app().await;
    report_budget(&app, "budgeted", "shop-1", 3).await;
    report_budget(&app, "budgeted", "shop-2", 0).await;
    let html = app.get("/breakers").await.page(200);
    assert!(html.contains("shop-1") && html.contains("shop-2"), "{html}");
    assert!(html.contains("7 retries per second"), "{html}");
    assert_eq!(html.matches("exhausted").count(), 1, "{html}");
}

/// H2: the empty state explains budgets and how to enable one.
#[tokio::test]
async fn no_budgets_shows_an_explanation() {
    let html = app().await.get("/breakers").await.page(200);
    assert!(html.contains("to a share of the traffic"), "{html}");
    assert!(html.contains("retries_per_second: 10"), "{html}");
}
