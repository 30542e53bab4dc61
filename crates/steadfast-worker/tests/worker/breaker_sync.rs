//! The breaker sync: breakers are reported and controlled through the store (G1).

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use steadfast::drive::{Environment, Real};
use steadfast::guard::breaker::BreakerState;
use steadfast::guard::{self, BudgetSettings};
use steadfast::observe::{Event, EventType};
use steadfast::{Fault, Policy};
use steadfast_store::{Actor, BreakerCommand, BreakerReport, RecordKind, Status, Store, Task};

use crate::stores::{eventually, on_each, until};
use crate::workers::{quick, start};

/// A policy with a breaker of its own: breakers are shared by name in the whole process.
fn policy() -> Arc<Policy> {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let name = format!("synced-{}", NUMBER.fetch_add(1, Ordering::Relaxed));
    let policy = Policy::fixed(Duration::from_millis(10)).id(name).enable_circuit_breaker(true);
    let policy = policy.circuit_breaker_threshold(3).max_attempts(10);
    Arc::new(policy.circuit_breaker_timeout(Duration::from_secs(3600)).build().unwrap())
}

/// The state of the breaker in this process.
fn local_state(policy: &Policy) -> BreakerState {
    let breakers = guard::breakers();
    let named = breakers.iter().find(|it| Some(it.name.as_str()) == policy.id()).unwrap();
    named.current().state(Real.now())
}

/// Drops the policy's breaker: the next one under its name is new.
fn drop_breaker(policy: &Policy) {
    let rate = BudgetSettings::Rate { retries_per_second: 1.0 };
    let without = Policy::immediate().id(policy.id().unwrap()).budget(rate).build().unwrap();
    drop(guard::for_policy(&without));
}

async fn report(store: &Store, policy: &Policy) -> Option<BreakerReport> {
    let reports = store.breakers().await.unwrap();
    reports.into_iter().find(|report| Some(report.policy.as_str()) == policy.id())
}

async fn is_reported_as(store: &Store, policy: &Policy, state: BreakerState) -> bool {
    report(store, policy).await.is_some_and(|report| report.state == state)
}

/// G1: the store shows the state of a breaker, and an event reports that it opened (O1).
#[tokio::test(flavor = "multi_thread")]
async fn breaker_state_is_reported_to_the_store() {
    on_each(async |store| {
        let broken = async |(): ()| Err::<(), _>(Fault::http(503));
        let worker = start(quick(&store).name("w1").handle("any", broken));
        let policy = policy();
        store.submit(Task::new("any", &()).under(policy.clone())).await.unwrap();
        eventually(async || is_reported_as(&store, &policy, BreakerState::Open).await).await;
        let seen = report(&store, &policy).await.unwrap();
        assert_eq!((&*seen.instance, seen.failure_count, seen.threshold), ("w1", 3, Some(3)));
        let now = store.now().await.unwrap();
        assert!(seen.next_probe_at.unwrap() > now && seen.last_failure_time.unwrap() <= now);
        worker.stop().await;
        let events = store.records_after(RecordKind::Event, 0, 100).await.unwrap();
        let events = events.into_iter().map(|event| serde_json::from_value(event.body).unwrap());
        let opened = |event: &Event| event.event_type == EventType::CircuitBreakerOpened;
        let opened: Vec<Event> = events.filter(opened).collect();
        assert_eq!(
            opened.iter().map(|event| event.policy_id.as_str()).collect::<Vec<_>>(),
            [policy.id().unwrap()]
        );
    })
    .await;
}

/// G3: the store shows the settings and the balance of a budget.
#[tokio::test(flavor = "multi_thread")]
async fn budget_balance_is_reported_to_the_store() {
    on_each(async |store| {
        let broken = async |(): ()| Err::<(), _>(Fault::http(503));
        let worker = start(quick(&store).name("w1").handle("any", broken));
        let name = policy().id().unwrap().to_owned();
        let settings = BudgetSettings::Ratio {
            ratio: 0.1,
            min_per_second: 0.0,
            window: Duration::from_secs(9),
        };
        let spent = Policy::immediate().id(name.clone()).budget(settings).build().unwrap();
        let id = store.submit(Task::new("any", &()).under(spent)).await.unwrap().id;
        until(&store, id, Status::Failed).await;
        // Any override triggers a sync.
        store.override_breaker("another", BreakerCommand::Close, &Actor::new("ada")).await.unwrap();
        let mine = async || {
            let budgets = store.budgets().await.unwrap();
            budgets.into_iter().find(|budget| budget.policy == name)
        };
        eventually(async || mine().await.is_some()).await;
        let seen = mine().await.unwrap();
        assert_eq!((&*seen.instance, seen.balance, seen.settings), ("w1", 0, settings));
        worker.stop().await;
    })
    .await;
}

/// G1: an operator isolates a service in every instance, and closes its breaker again.
#[tokio::test(flavor = "multi_thread")]
async fn breaker_is_isolated_and_closed_by_an_operator() {
    on_each(async |store| {
        let worker = start(quick(&store).handle("any", async |(): ()| Ok::<_, Fault>(())));
        let policy = policy();
        let task = || Task::new("any", &()).under(policy.clone());
        store.submit(task()).await.unwrap();
        eventually(async || is_reported_as(&store, &policy, BreakerState::Closed).await).await;

        let (name, by) = (policy.id().unwrap(), Actor::new("ada"));
        store.override_breaker(name, BreakerCommand::Isolate, &by).await.unwrap();
        eventually(async || is_reported_as(&store, &policy, BreakerState::Isolated).await).await;
        let id = store.submit(task()).await.unwrap().id;
        eventually(async || store.task(id).await.unwrap().status == Status::Scheduled).await;

        store.override_breaker(name, BreakerCommand::Close, &by).await.unwrap();
        eventually(async || is_reported_as(&store, &policy, BreakerState::Closed).await).await;
        store.run_now(id, &by).await.unwrap();
        eventually(async || store.task(id).await.unwrap().status == Status::Completed).await;
        worker.stop().await;
    })
    .await;
}

/// G1: a breaker that is recreated while its policy is isolated is isolated again.
#[tokio::test(flavor = "multi_thread")]
async fn isolation_holds_for_a_recreated_breaker() {
    on_each(async |store| {
        let worker = start(quick(&store).handle("any", async |(): ()| Ok::<_, Fault>(())));
        let policy = policy();
        store.submit(Task::new("any", &()).under(policy.clone())).await.unwrap();
        eventually(async || is_reported_as(&store, &policy, BreakerState::Closed).await).await;
        let (name, by) = (policy.id().unwrap(), Actor::new("ada"));
        store.override_breaker(name, BreakerCommand::Isolate, &by).await.unwrap();
        eventually(async || local_state(&policy) == BreakerState::Isolated).await;

        drop_breaker(&policy);
        let again = Policy::immediate().id(name).enable_circuit_breaker(true).build().unwrap();
        drop(guard::for_policy(&again));
        // Any override triggers a sync.
        store.override_breaker("another", BreakerCommand::Close, &by).await.unwrap();
        eventually(async || local_state(&policy) == BreakerState::Isolated).await;
        worker.stop().await;
    })
    .await;
}
