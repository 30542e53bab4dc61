//! Breakers and budgets in front of workers elsewhere (G2, G3, G4, D19).

use std::time::Duration;

use serde_json::{Value, json};
use steadfast::drive::{Environment as _, Real};
use steadfast::{Fault, Reason, guard};
use steadfast_api::{
    Api, AttemptFailure, ClaimView, Completion, EventFilter, EventsFrom, Local, NewClaim,
};
use steadfast_store::{Actor, TaskId};

use crate::{World, new, world};

/// Guards are shared by name in a process, so each test has its own.
fn policy(fields: Value) -> Value {
    let mut policy = json!({"id": TaskId::fresh(), "backoff_type": "fixed", "base_delay": "1h"});
    policy.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    policy
}

fn breaking(timeout: &str) -> Value {
    policy(json!({
        "enable_circuit_breaker": true,
        "circuit_breaker_threshold": 2,
        "circuit_breaker_timeout": timeout,
    }))
}

impl World {
    async fn submit_under(&self, policy: &Value, tasks: u32) {
        for _ in 0..tasks {
            let task = json!({"kind": "mail", "payload": 1, "policy": policy});
            self.api.submit(new(&task.to_string())).await.unwrap();
        }
    }

    async fn claims(&self) -> Vec<ClaimView> {
        let wanted: NewClaim =
            serde_json::from_value(json!({"worker": "w1", "limit": 10})).unwrap();
        self.api.claim(&wanted).await.unwrap().claims
    }

    async fn fails(&self, claim: &ClaimView) -> Option<Reason> {
        let failure =
            AttemptFailure { version: claim.version, fault: Fault::http(503), key_in_use: false };
        self.api.fail(claim.id, failure).await.unwrap().reason
    }

    async fn succeeds(&self, claim: &ClaimView) {
        let done = Completion { version: claim.version, result: None };
        self.api.complete(claim.id, done).await.unwrap();
    }

    async fn events(&self) -> Vec<String> {
        let filter = EventFilter::default();
        let events = self.api.events(&filter, EventsFrom::Latest, 100).await.unwrap();
        events.items.iter().map(|view| view.event.event_type.name().to_owned()).collect()
    }
}

/// G1, G2: failures of workers elsewhere open a breaker; it is told, and what it rejects is put off
/// without having been tried.
#[tokio::test]
async fn a_breaker_opens_for_workers_elsewhere() {
    let world = world().await;
    let policy = breaking("10m");
    world.submit_under(&policy, 2).await;
    for claim in world.claims().await {
        assert_eq!(world.fails(&claim).await, None);
    }
    assert!(world.events().await.contains(&"circuit_breaker_opened".to_owned()));
    world.submit_under(&policy, 1).await;
    assert!(world.claims().await.is_empty());
    let stats = world.api.stats().await.unwrap();
    assert_eq!((stats.running, stats.pending, stats.scheduled), (0, 0, 3));
}

/// G1, G2: of many that are due, one is handed out as the probe; its success closes the breaker.
#[tokio::test]
async fn a_probe_is_made_by_a_worker_elsewhere() {
    let world = world().await;
    let policy = breaking("200ms");
    world.submit_under(&policy, 2).await;
    for claim in world.claims().await {
        world.fails(&claim).await;
    }
    world.submit_under(&policy, 5).await;
    tokio::time::sleep(Duration::from_millis(250)).await;
    let probe = world.claims().await;
    assert_eq!(probe.len(), 1, "the others are put off");
    world.succeeds(&probe[0]).await;
    assert!(world.events().await.contains(&"circuit_breaker_closed".to_owned()));
}

/// G1: nobody is let through a breaker that a person has isolated, wherever they work.
#[tokio::test]
async fn an_isolated_breaker_holds_workers_elsewhere_back() {
    let world = world().await;
    let policy = breaking("1ms");
    world.submit_under(&policy, 2).await;
    let claims = world.claims().await;
    world.succeeds(&claims[0]).await;
    let breakers = guard::breakers();
    let named = breakers.iter().find(|it| policy["id"] == it.name.as_str()).unwrap();
    named.current().isolate(Real.now());
    world.submit_under(&policy, 1).await;
    assert!(world.claims().await.is_empty());
    named.current().close(Real.now());
    world.submit_under(&policy, 1).await;
    assert_eq!(world.claims().await.len(), 1);
}

/// G3: what workers elsewhere get done fills the budget that their failures draw on.
#[tokio::test]
async fn a_budget_fills_with_what_workers_elsewhere_get_done() {
    let world = world().await;
    let policy = policy(json!({"budget": {"ratio": 0.5, "min_per_second": 0, "window": "10m"}}));
    world.submit_under(&policy, 1).await;
    let claims = world.claims().await;
    assert_eq!(world.fails(&claims[0]).await, Some(Reason::BudgetExhausted));
    world.submit_under(&policy, 7).await;
    let claims = world.claims().await;
    for claim in &claims[..4] {
        world.succeeds(claim).await;
    }
    let mut ends = Vec::new();
    for claim in &claims[4..] {
        ends.push(world.fails(claim).await);
    }
    assert_eq!(ends, [None, None, Some(Reason::BudgetExhausted)], "half as many as succeeded");
}

/// G4: the end of an attempt that another instance of the server handed out is heard, too.
#[tokio::test]
async fn a_breaker_hears_of_attempts_that_another_instance_handed_out() {
    let world = world().await;
    let other = World {
        store: world.store.clone(),
        api: Local::new(world.store.clone(), Actor::new("other")),
    };
    let policy = breaking("10m");
    world.submit_under(&policy, 2).await;
    for claim in other.claims().await {
        world.fails(&claim).await;
    }
    world.submit_under(&policy, 1).await;
    assert!(world.claims().await.is_empty());
}
