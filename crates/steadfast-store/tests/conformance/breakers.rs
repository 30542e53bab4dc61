//! Breaker reports and overrides of all instances (G1).

use std::time::Duration;

use steadfast::guard::breaker::BreakerState;
use steadfast_store::{AuditQuery, BreakerCommand, BreakerReport, StoreError, Wake};

use crate::harness::*;

cases![
    breakers_of_every_instance_are_listed,
    breaker_report_replaces_the_previous_one,
    silent_instance_is_not_listed,
    last_override_is_listed,
    override_is_audited_and_notifies,
    breaker_without_a_name_is_rejected,
];

fn report(policy: &str, instance: &str, state: BreakerState) -> BreakerReport {
    BreakerReport {
        policy: policy.to_owned(),
        instance: instance.to_owned(),
        seen_at: None,
        state,
        failure_count: 5,
        threshold: Some(5),
        timeout: Duration::from_millis(1500),
        last_failure_time: Some("2026-01-29T12:00:00.000001Z".parse().unwrap()),
        last_state_change: None,
        next_probe_at: None,
    }
}

async fn stand(store: &Harness) -> Vec<(String, String, BreakerState)> {
    let reports = store.breakers().await.unwrap().into_iter();
    reports.map(|report| (report.policy, report.instance, report.state)).collect()
}

/// G1: by policy and instance, each as it was said, with the time when.
async fn breakers_of_every_instance_are_listed(store: &Harness) {
    let said = [
        report("pay", "b", BreakerState::Closed),
        report("mail", "b", BreakerState::HalfOpen),
        report("pay", "a", BreakerState::Isolated),
    ];
    let before = store.now().await.unwrap();
    store.report_breakers(&said).await.unwrap();
    let shown = store.another().await.breakers().await.unwrap();
    let [mail, pay_a, pay_b] = shown.as_slice() else { panic!("{shown:?}") };
    for (shown, said) in [(mail, &said[1]), (pay_a, &said[2]), (pay_b, &said[0])] {
        assert!(shown.seen_at.unwrap() >= before);
        assert_eq!(&BreakerReport { seen_at: None, ..shown.clone() }, said);
    }
}

async fn breaker_report_replaces_the_previous_one(store: &Harness) {
    store.report_breakers(&[report("pay", "a", BreakerState::Closed)]).await.unwrap();
    store.report_breakers(&[report("pay", "a", BreakerState::Open)]).await.unwrap();
    assert_eq!(stand(store).await, [("pay".to_owned(), "a".to_owned(), BreakerState::Open)]);
}

/// G1: whoever was killed says nothing; two minutes later nobody believes it to be there.
async fn silent_instance_is_not_listed(store: &Harness) {
    store.report_breakers(&[report("pay", "a", BreakerState::Open)]).await.unwrap();
    store.age_breakers(secs(120)).await;
    assert_eq!(stand(store).await, []);
    store.report_breakers(&[report("pay", "b", BreakerState::Closed)]).await.unwrap();
    assert_eq!(stand(store).await.len(), 1);
}

/// G1: one wish for each breaker, the last one, with a number that grows.
async fn last_override_is_listed(store: &Harness) {
    assert_eq!(store.breaker_overrides().await.unwrap(), []);
    for (policy, wish) in [
        ("pay", BreakerCommand::Open),
        ("mail", BreakerCommand::Isolate),
        ("pay", BreakerCommand::Close),
    ] {
        store.override_breaker(policy, wish, &somebody()).await.unwrap();
    }
    let orders = store.another().await.breaker_overrides().await.unwrap();
    let wishes: Vec<_> =
        orders.iter().map(|order| (order.policy.as_str(), order.command)).collect();
    assert_eq!(wishes, [("mail", BreakerCommand::Isolate), ("pay", BreakerCommand::Close)]);
    assert!(orders[1].number > orders[0].number);
    assert_eq!(orders[0].actor, somebody());
}

/// K3, D11: who wanted it is written down, and nobody waits for a poll to hear of it.
async fn override_is_audited_and_notifies(store: &Harness) {
    let mut listener = store.listen();
    store.override_breaker("pay", BreakerCommand::Isolate, &somebody()).await.unwrap();
    store.hears(&mut listener, Wake::Breakers).await;
    let log = store.audit_entries(&AuditQuery::default()).await.unwrap().items;
    assert_eq!(
        (log[0].action.as_str(), log[0].target.as_deref()),
        ("breaker.isolate", Some("pay"))
    );
}

/// K4: a name that no policy can have.
async fn breaker_without_a_name_is_rejected(store: &Harness) {
    let nameless = store.report_breakers(&[report("", "a", BreakerState::Open)]).await;
    assert!(matches!(nameless, Err(StoreError::Invalid(why)) if why.field() == "policy"));
    let nameless = store.override_breaker("", BreakerCommand::Open, &somebody()).await;
    assert!(matches!(nameless, Err(StoreError::Invalid(why)) if why.field() == "policy"));
}
