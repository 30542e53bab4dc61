//! `breaker` on a store that instances have written to (G1).

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may panic")]

mod store;

use std::time::Duration;

use serde_json::Value;
use steadfast::guard::breaker::BreakerState;
use steadfast_store::{BreakerCommand, BreakerReport};

use store::Folder;

fn report(policy: &str, instance: &str, state: BreakerState) -> BreakerReport {
    BreakerReport {
        policy: policy.to_owned(),
        instance: instance.to_owned(),
        seen_at: None,
        state,
        failure_count: 5,
        threshold: Some(5),
        timeout: Duration::from_secs(60),
        last_failure_time: None,
        last_state_change: None,
        next_probe_at: None,
    }
}

fn two_instances() -> Folder {
    Folder::with(async |store| {
        let reports = [
            report("payments", "a", BreakerState::Closed),
            report("payments", "b", BreakerState::Open),
        ];
        store.report_breakers(&reports).await.unwrap();
    })
}

/// G1: every instance is shown, and what was wanted by hand.
#[test]
fn breakers_are_listed_by_policy_and_instance() {
    let folder = two_instances();
    let told = folder.told("breaker list");
    let lines: Vec<&str> = told.lines().collect();
    assert!(lines[1].starts_with("payments  a         closed"), "{told}");
    assert!(lines[2].starts_with("payments  b         open"), "{told}");
    assert!(lines[2].contains("5 of 5"), "{told}");

    folder.told("breaker open payments --hold");
    assert!(folder.told("breaker list").contains("held open by "));
    let json: Value = serde_json::from_str(&folder.told("breaker list --json")).unwrap();
    assert_eq!(json[0]["policy"], "payments");
    assert_eq!(json[0]["instances"][1]["state"], "open");
    assert_eq!(json[0]["order"]["wish"], "isolate");
}

/// G1, K3: what is wanted is written down for every instance, and by whom.
#[test]
fn a_breaker_is_opened_held_and_closed() {
    let folder = two_instances();
    for (line, wish, said) in [
        ("open payments", BreakerCommand::Open, "opens within seconds, in 2 instances"),
        ("open payments --hold", BreakerCommand::Isolate, "stays open until it is closed by hand"),
        ("close payments", BreakerCommand::Close, "closes within seconds, in 2 instances"),
    ] {
        let told = folder.told(&format!("breaker {line}"));
        assert!(told.contains(said), "{told}");
        let orders = folder.change(async |store| store.breaker_overrides().await.unwrap());
        assert_eq!((orders[0].policy.as_str(), orders[0].wish), ("payments", wish));
        assert!(orders[0].actor.origin.as_ref().unwrap().starts_with("cli@"));
    }
}

/// F2: an order for nobody is a slip; to hold one open is an order for those to come.
#[test]
fn a_breaker_that_nobody_has_is_refused_with_the_one_that_was_meant() {
    let folder = two_instances();
    let (code, said) = folder.refused("breaker close payment");
    assert_eq!(code, Some(2));
    assert!(said.contains("no instance has a breaker of the policy `payment`"), "{said}");
    assert!(said.contains("did you mean payments?"), "{said}");
    let told = folder.told("breaker open mail --hold");
    assert!(told.contains("in every instance that comes to use it"), "{told}");
    assert!(folder.told("breaker list").contains("no instance"));
}

/// Section 10: an empty list says why it is empty.
#[test]
fn no_breakers_are_said_to_be_none() {
    assert!(Folder::with(async |_| ()).told("breaker list").starts_with("no breakers: "));
}
