//! `steadfast breaker` (G1).

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

/// G1: lists every instance and the override.
#[test]
fn list_shows_breakers_by_policy_and_instance() {
    let folder = two_instances();
    let printed = folder.run_ok("breaker list");
    let lines: Vec<&str> = printed.lines().collect();
    assert!(lines[1].starts_with("payments  a         closed"), "{printed}");
    assert!(lines[2].starts_with("payments  b         open"), "{printed}");
    assert!(lines[2].contains("5 of 5"), "{printed}");

    folder.run_ok("breaker open payments --hold");
    assert!(folder.run_ok("breaker list").contains("held open by "));
    let json: Value = serde_json::from_str(&folder.run_ok("breaker list --json")).unwrap();
    assert_eq!(json[0]["policy"], "payments");
    assert_eq!(json[0]["instances"][1]["state"], "open");
    assert_eq!(json[0]["last_override"]["command"], "isolate");
}

/// G1, K3: an override is recorded for every instance, with its actor.
#[test]
fn breaker_is_opened_held_and_closed() {
    let folder = two_instances();
    for (line, wish, said) in [
        ("open payments", BreakerCommand::Open, "opened; 2 instances will apply it within seconds"),
        ("open payments --hold", BreakerCommand::Isolate, "held open until it is closed manually"),
        (
            "close payments",
            BreakerCommand::Close,
            "closed; 2 instances will apply it within seconds",
        ),
    ] {
        let printed = folder.run_ok(&format!("breaker {line}"));
        assert!(printed.contains(said), "{printed}");
        let orders = folder.change(async |store| store.breaker_overrides().await.unwrap());
        assert_eq!((orders[0].policy.as_str(), orders[0].command), ("payments", wish));
        assert!(orders[0].actor.origin.as_ref().unwrap().starts_with("cli@"));
    }
}

/// F2: a breaker that no instance has can only be held open.
#[test]
fn unknown_breaker_is_rejected_with_suggestion() {
    let folder = two_instances();
    let (code, said) = folder.run_err("breaker close payment");
    assert_eq!(code, Some(2));
    assert!(said.contains("no instance has a breaker for the policy `payment`"), "{said}");
    assert!(said.contains("did you mean `payments`?"), "{said}");
    let printed = folder.run_ok("breaker open mail --hold");
    assert!(printed.contains("in every instance that starts to use it"), "{printed}");
    assert!(folder.run_ok("breaker list").contains("no instance"));
}

/// Section 10: an empty list says why it is empty.
#[test]
fn empty_list_is_explained() {
    assert!(Folder::with(async |_| ()).run_ok("breaker list").starts_with("no breakers: "));
}
