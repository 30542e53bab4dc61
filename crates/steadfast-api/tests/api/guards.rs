//! Breakers and budgets for workers over HTTP (G2, G3, G4, D19).

use std::time::Duration;

use serde_json::{Value, json};
use steadfast::drive::{Environment as _, Real};
use steadfast::{Fault, Reason, guard};
use steadfast_api::{
    Api, AttemptFailure, ClaimView, Completion, EventFilter, EventsFrom, Local, NewClaim,
};
use steadfast_store::{Actor, TaskId};

use crate::{World, new, world};

/// A policy with its own id: guards are shared by id in a process.
fn policy(fields: Value) -> Value {
    let mut policy = json!({"id": TaskId::fresh(), "backoff_type": "fixed", "base_delay": "1h"});
    policy.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    policy
}

fn with_breaker(timeout: &str) -> Value {
    policy(json!({
        "enable_circuit_breaker": true,
        "circuit_breaker_threshold": 2,
        "circuit_breaker_timeout": timeout,
    }))
}

impl World {
    async fn submit_with(&self, policy: &Value, tasks: u32) {
        for _ in 0..tasks {
            let task = json!({"kind": "mail", "payload": 1, "policy": policy});
            self.api.submit(new(&task.to_string())).await.unwrap();
        }
    }

    async fn claims(&self) -> Vec<ClaimView> {
        let claim: NewClaim = serde_json::from_value(json!({"worker": "w1", "limit": 10})).unwrap();
        self.api.claim(&claim).await.unwrap().claims
    }

    async fn fail(&self, claim: &ClaimView) -> Option<Reason> {
        let failure = AttemptFailure::new(claim.fencing_token, Fault::http(503));
        self.api.fail(claim.id, failure).await.unwrap().reason
    }

    async fn complete(&self, claim: &ClaimView) {
        let done = Completion { fencing_token: claim.fencing_token, result: None };
        self.api.complete(claim.id, done).await.unwrap();
    }

    async fn events(&self) -> Vec<String> {
        let filter = EventFilter::default();
        let events = self.api.events(&filter, EventsFrom::Latest, 100).await.unwrap();
        events.items.iter().map(|view| view.event.event_type.name().to_owned()).collect()
    }
}

/// G1, G2: failures of workers over HTTP open a breaker; an event records it, and the tasks that it
/// rejects are put off without an attempt.
#[tokio::test]
async fn breaker_opens_on_failures_of_http_workers() {
    let world = world().await;
    let policy = with_breaker("10m");
    world.submit_with(&policy, 2).await;
    for claim in world.claims().await {
        assert_eq!(world.fail(&claim).await, None);
    }
    assert!(world.events().await.contains(&"circuit_breaker_opened".to_owned()));
    world.submit_with(&policy, 1).await;
    assert!(world.claims().await.is_empty());
    let stats = world.api.stats().await.unwrap();
    assert_eq!((stats.running, stats.pending, stats.scheduled), (0, 0, 3));
}

/// G1, G2: one of many due tasks is claimed as the probe; its success closes the breaker.
#[tokio::test]
async fn half_open_breaker_hands_out_one_probe() {
    let world = world().await;
    let policy = with_breaker("200ms");
    world.submit_with(&policy, 2).await;
    for claim in world.claims().await {
        world.fail(&claim).await;
    }
    world.submit_with(&policy, 5).await;
    // The breaker's timeout passes in real time. A claim before it would postpone the tasks.
    tokio::time::sleep(Duration::from_millis(250)).await;
    let probe = world.claims().await;
    assert_eq!(probe.len(), 1, "the others are put off");
    world.complete(&probe[0]).await;
    assert!(world.events().await.contains(&"circuit_breaker_closed".to_owned()));
}

/// G1: an isolated breaker permits no attempt of workers over HTTP.
#[tokio::test]
async fn isolated_breaker_withholds_claims() {
    let world = world().await;
    let policy = with_breaker("1ms");
    world.submit_with(&policy, 2).await;
    let claims = world.claims().await;
    world.complete(&claims[0]).await;
    let breakers = guard::breakers();
    let named = breakers.iter().find(|it| policy["id"] == it.name.as_str()).unwrap();
    named.current().isolate(Real.now());
    world.submit_with(&policy, 1).await;
    assert!(world.claims().await.is_empty());
    named.current().close(Real.now());
    world.submit_with(&policy, 1).await;
    assert_eq!(world.claims().await.len(), 1);
}

/// G3: completions of workers over HTTP fill the budget that their retries are charged to.
#[tokio::test]
async fn budget_grows_with_completions_of_http_workers() {
    let world = world().await;
    let policy = policy(json!({"budget": {"ratio": 0.5, "min_per_second": 0, "window": "10m"}}));
    world.submit_with(&policy, 1).await;
    let claims = world.claims().await;
    assert_eq!(world.fail(&claims[0]).await, Some(Reason::BudgetExhausted));
    world.submit_with(&policy, 7).await;
    let claims = world.claims().await;
    for claim in &claims[..4] {
        world.complete(claim).await;
    }
    let mut reasons = Vec::new();
    for claim in &claims[4..] {
        reasons.push(world.fail(claim).await);
    }
    assert_eq!(reasons, [None, None, Some(Reason::BudgetExhausted)], "half as many as succeeded");
}

/// G4: the outcome of an attempt that was claimed at another instance counts as well.
#[tokio::test]
async fn breaker_counts_attempts_claimed_at_another_instance() {
    let world = world().await;
    let other = World {
        store: world.store.clone(),
        api: Local::new(world.store.clone(), Actor::new("other")),
    };
    let policy = with_breaker("10m");
    world.submit_with(&policy, 2).await;
    for claim in other.claims().await {
        world.fail(&claim).await;
    }
    world.submit_with(&policy, 1).await;
    assert!(world.claims().await.is_empty());
}
