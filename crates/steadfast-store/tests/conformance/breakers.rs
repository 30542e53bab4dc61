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

async fn states(store: &Harness) -> Vec<(String, String, BreakerState)> {
    let reports = store.breakers().await.unwrap().into_iter();
    reports.map(|report| (report.policy, report.instance, report.state)).collect()
}

/// G1: by policy and instance, each as reported, with the time of the report.
async fn breakers_of_every_instance_are_listed(store: &Harness) {
    let reported = [
        report("pay", "b", BreakerState::Closed),
        report("mail", "b", BreakerState::HalfOpen),
        report("pay", "a", BreakerState::Isolated),
    ];
    let before = store.now().await.unwrap();
    store.report_breakers(&reported).await.unwrap();
    let shown = store.another().await.breakers().await.unwrap();
    let [mail, pay_a, pay_b] = shown.as_slice() else { panic!("{shown:?}") };
    for (shown, reported) in [(mail, &reported[1]), (pay_a, &reported[2]), (pay_b, &reported[0])] {
        assert!(shown.seen_at.unwrap() >= before);
        assert_eq!(&BreakerReport { seen_at: None, ..shown.clone() }, reported);
    }
}

async fn breaker_report_replaces_the_previous_one(store: &Harness) {
    store.report_breakers(&[report("pay", "a", BreakerState::Closed)]).await.unwrap();
    store.report_breakers(&[report("pay", "a", BreakerState::Open)]).await.unwrap();
    assert_eq!(states(store).await, [("pay".to_owned(), "a".to_owned(), BreakerState::Open)]);
}

/// G1: an instance that was killed sends no reports; after two minutes it is no longer listed.
async fn silent_instance_is_not_listed(store: &Harness) {
    store.report_breakers(&[report("pay", "a", BreakerState::Open)]).await.unwrap();
    store.age_breakers(secs(120)).await;
    assert_eq!(states(store).await, []);
    store.report_breakers(&[report("pay", "b", BreakerState::Closed)]).await.unwrap();
    assert_eq!(states(store).await.len(), 1);
}

/// G1: the last override of each breaker, with a number that grows.
async fn last_override_is_listed(store: &Harness) {
    assert_eq!(store.breaker_overrides().await.unwrap(), []);
    for (policy, command) in [
        ("pay", BreakerCommand::Open),
        ("mail", BreakerCommand::Isolate),
        ("pay", BreakerCommand::Close),
    ] {
        store.override_breaker(policy, command, &operator()).await.unwrap();
    }
    let overrides = store.another().await.breaker_overrides().await.unwrap();
    let commands: Vec<_> =
        overrides.iter().map(|item| (item.policy.as_str(), item.command)).collect();
    assert_eq!(commands, [("mail", BreakerCommand::Isolate), ("pay", BreakerCommand::Close)]);
    assert!(overrides[1].number > overrides[0].number);
    assert_eq!(overrides[0].actor, operator());
}

/// K3, D11: the actor is audited, and instances are notified without waiting for a poll.
async fn override_is_audited_and_notifies(store: &Harness) {
    let mut listener = store.listen();
    store.override_breaker("pay", BreakerCommand::Isolate, &operator()).await.unwrap();
    store.expect_wake(&mut listener, Wake::Breakers).await;
    let log = store.audit_entries(&AuditQuery::default()).await.unwrap().items;
    assert_eq!(
        (log[0].action.as_str(), log[0].target.as_deref()),
        ("breaker.isolate", Some("pay"))
    );
}

/// K4: a name that is invalid for a policy.
async fn breaker_without_a_name_is_rejected(store: &Harness) {
    let nameless = store.report_breakers(&[report("", "a", BreakerState::Open)]).await;
    assert!(matches!(nameless, Err(StoreError::Invalid(why)) if why.field() == "policy"));
    let nameless = store.override_breaker("", BreakerCommand::Open, &operator()).await;
    assert!(matches!(nameless, Err(StoreError::Invalid(why)) if why.field() == "policy"));
}
